//! The commands of a shape, one after the other.

use std::borrow::Cow;
use std::ops::ControlFlow;

use bstr::BString;
use geom::TriMesh;

use super::basis::Basis;
use super::divide::Division;
use super::patch::{self, Control, Patch};
use super::polygon::polygon;
use super::settings::Settings;
use super::solid::{self, Fineness};
use super::space::{Frame, Point, float, length, sub};
use super::{Curve, Evaluated, LeftOut, ShapeOptions, Surface};
use crate::consts::CommandId;
use crate::model::{Arg, Command, Model, ShapeId, TexCoordId, VertexId};

/// Shapes that include each other further than this are left out.
const MAX_DEPTH: u32 = 16;
/// All commands together, those of included shapes each time that they are included.
const MAX_COMMANDS: u64 = 1 << 16;

pub(super) type Why = Cow<'static, str>;

pub(super) fn evaluate(model: &Model, shape: ShapeId, options: &ShapeOptions) -> Evaluated {
    let mut evaluator = Evaluator {
        model,
        options,
        out: Evaluated::default(),
        left: options.max_points,
        commands: MAX_COMMANDS,
        shape,
        command: 0,
        id: CommandId(0),
        material: BString::default(),
    };
    if shape.get().and_then(|place| model.shapes.get(place)).is_none() {
        evaluator.left_out("a shape that is not there");
        return evaluator.out;
    }
    // Where it stops early it has said why.
    let _done = evaluator.shape(shape, &Frame::WORLD, 0);
    evaluator.out
}

struct Evaluator<'m> {
    model: &'m Model,
    options: &'m ShapeOptions,
    out: Evaluated,
    /// How many points there may still be.
    left: u64,
    commands: u64,
    /// What is evaluated now.
    shape: ShapeId,
    command: usize,
    id: CommandId,
    material: BString,
}

impl Evaluator<'_> {
    fn left_out(&mut self, why: impl Into<Why>) {
        let (shape, command, id) = (self.shape, self.command, self.id);
        self.out.left_out.push(LeftOut { shape, command, id, why: why.into() });
    }

    fn shape(&mut self, id: ShapeId, frame: &Frame, depth: u32) -> ControlFlow<()> {
        let Some(shape) = id.get().and_then(|place| self.model.shapes.get(place)) else {
            self.left_out("a shape that is not there");
            return ControlFlow::Continue(());
        };
        let outer = (self.shape, self.command, self.id, std::mem::take(&mut self.material));
        let mut settings = Settings::default();
        let mut flow = ControlFlow::Continue(());
        for (place, command) in shape.commands.iter().enumerate() {
            (self.shape, self.command, self.id) = (id, place, command.id);
            let Some(commands) = self.commands.checked_sub(1) else {
                self.left_out("more commands than are evaluated, this one and all behind it");
                flow = ControlFlow::Break(());
                break;
            };
            self.commands = commands;
            if self.run(command, &mut settings, frame, depth).is_break() {
                flow = ControlFlow::Break(());
                break;
            }
        }
        for (command, id) in settings.places {
            (self.command, self.id) = (command, id);
            if flow.is_continue() {
                self.left_out("no curve or surface follows");
            }
        }
        (self.shape, self.command, self.id, self.material) = outer;
        flow
    }

    /// Runs one command.
    fn run(
        &mut self,
        command: &Command,
        settings: &mut Settings,
        frame: &Frame,
        depth: u32,
    ) -> ControlFlow<()> {
        let id = command.id;
        match id {
            CommandId::USE => match command.args.as_slice() {
                [Arg::Material(name)] => self.material.clone_from(name),
                _ => self.left_out(ARGUMENTS),
            },
            CommandId::INCLUDE => return self.include(&command.args, frame, depth),
            CommandId::TRIM
            | CommandId::HOLE
            | CommandId::SPECIAL_CURVE
            | CommandId::SPECIAL_POINTS
            | CommandId::CONNECT => self.left_out("not evaluated: the surface is whole"),
            _ if id.0 < CommandId::TRIM.0 && id != CommandId::MESH => match self.set(command, settings) {
                Ok(()) => settings.places.push((self.command, id)),
                Err(why) => self.left_out(why),
            },
            _ => {
                let settings = std::mem::take(settings);
                if let Err(why) = self.draw(command, settings, frame) {
                    self.left_out(why);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn include(&mut self, args: &[Arg], frame: &Frame, depth: u32) -> ControlFlow<()> {
        let [Arg::Shape(shape), Arg::Vertex(position), Arg::Quaternion(orientation)] = *args else {
            self.left_out(ARGUMENTS);
            return ControlFlow::Continue(());
        };
        match self.frame(position, orientation) {
            Err(why) => self.left_out(why),
            Ok(_) if depth >= MAX_DEPTH => self.left_out("shapes that include each other without end"),
            Ok(inner) => return self.shape(shape, &frame.then(&inner), depth + 1),
        }
        ControlFlow::Continue(())
    }

    /// A command that is about the next curve or surface.
    fn set(&mut self, command: &Command, settings: &mut Settings) -> Result<(), Why> {
        match (command.id, command.args.as_slice()) {
            (CommandId::DIVIDE, [Arg::Coord(both)]) => settings.division = Division::Parts(*both, *both),
            (CommandId::SUBDIVIDE, [Arg::Coord(u), Arg::Coord(v)]) => {
                settings.division = Division::Parts(*u, *v)
            }
            (CommandId::LENGTH, [Arg::Coord(most)]) => settings.division = Division::Length(*most),
            (CommandId::DISTANCE, [Arg::Coord(most), Arg::Coord(angle)]) => {
                settings.division = Division::Distance(*most, *angle);
            }
            (CommandId::DEGREE_U, [Arg::Int(u)]) => settings.degrees[0] = Some(*u),
            (CommandId::DEGREE, [Arg::Int(u), Arg::Int(v)]) => settings.degrees = [Some(*u), Some(*v)],
            (CommandId::RANGE_U, [Arg::TexCoord(u)]) => settings.ranges[0] = Some(self.pair(*u)?),
            (CommandId::RANGE, [Arg::TexCoord(u), Arg::TexCoord(v)]) => {
                settings.ranges = [Some(self.pair(*u)?), Some(self.pair(*v)?)];
            }
            (CommandId::KNOTS_U | CommandId::KNOTS_V, knots) => {
                let along = usize::from(command.id == CommandId::KNOTS_V);
                let knots = knots.iter().map(|arg| match arg {
                    Arg::Coord(knot) => Ok(*knot),
                    _ => Err(ARGUMENTS),
                });
                settings.knots[along] = Some(knots.collect::<Result<_, _>>()?);
            }
            _ => return Err(ARGUMENTS.into()),
        }
        Ok(())
    }

    fn pair(&self, id: TexCoordId) -> Result<(f64, f64), Why> {
        let list = &self.model.tex_coords;
        let uv = id.get().and_then(|place| Some((place, list.uvs.get(place)?)));
        let (place, uv) = uv.ok_or("a texture coordinate that is not there")?;
        let [u, v] = uv.to_array().map(f64::from);
        #[allow(clippy::cast_possible_truncation, reason = "asked whether they round to the floats")]
        let same = |&&[a, b]: &&[f64; 2]| a as f32 == uv.x && b as f32 == uv.y;
        Ok(list.precise.get(place).filter(same).map_or((u, v), |&[u, v]| (u, v)))
    }

    fn vertex(&self, id: VertexId) -> Result<[f64; 4], Why> {
        let list = &self.model.vertices;
        let coord = list.coord(id).ok_or("a vertex that is not there")?.to_array();
        let precise = id.get().and_then(|place| list.precise.get(place));
        #[allow(clippy::cast_possible_truncation, reason = "asked whether they round to the floats")]
        let same = |precise: &&[f64; 4]| precise.map(|part| part as f32) == coord;
        Ok(precise.filter(same).copied().unwrap_or(coord.map(f64::from)))
    }

    fn point(&self, id: VertexId) -> Result<Point, Why> {
        let [x, y, z, _] = self.vertex(id)?;
        let finite = [x, y, z].iter().all(|part| part.is_finite());
        if finite { Ok([x, y, z]) } else { Err("a vertex that is no number".into()) }
    }

    fn points(&self, args: &[Arg]) -> Result<Vec<Point>, Why> {
        args.iter()
            .map(|arg| match arg {
                Arg::Vertex(id) => self.point(*id),
                _ => Err(ARGUMENTS.into()),
            })
            .collect()
    }

    /// Where something stands. Without an orientation it stands straight.
    fn frame(&mut self, position: VertexId, orientation: VertexId) -> Result<Frame, Why> {
        let origin = self.point(position)?;
        if orientation.is_none() {
            return Ok(Frame { origin, ..Frame::WORLD });
        }
        let quaternion = self.vertex(orientation)?;
        let size = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
        if !size.is_finite() {
            return Err("an orientation that is no number".into());
        }
        // The vertices of eight and sixteen bits are not quite that long.
        if (size - 1.0).abs() > 0.02 {
            self.left_out("not evaluated: the scale that an orientation of another length than 1 may mean");
        }
        Ok(Frame::new(origin, quaternion))
    }

    /// A command that makes a curve or a surface.
    fn draw(&mut self, command: &Command, settings: Settings, frame: &Frame) -> Result<(), Why> {
        let fineness =
            Fineness { division: settings.division, free: self.options.divisions, most: self.left };
        let args = command.args.as_slice();
        let odd = |mesh: (TriMesh, bool), evaluator: &mut Self, why: &'static str| {
            if mesh.1 {
                evaluator.left_out(why);
            }
            mesh.0
        };
        let mesh = match (command.id, args) {
            (CommandId::BEZIER_1 | CommandId::BEZIER_2 | CommandId::BSPLINE_1 | CommandId::BSPLINE_2, _) => {
                return self.curve(command, settings, frame);
            }
            (CommandId::LINE, _) => {
                let points = self.points(args)?;
                return self.add_curve(points, false, frame);
            }
            (CommandId::POLYGON, _) => polygon(&self.points(args)?)?,
            (
                CommandId::CIRCLE,
                [Arg::Vertex(position), Arg::Quaternion(orientation), Arg::Coord(radius)],
            ) => solid::circle(&self.frame(*position, *orientation)?, *radius, fineness)?,
            (
                CommandId::CYLINDER,
                [
                    Arg::Vertex(from),
                    Arg::Quaternion(from_turn),
                    Arg::Coord(from_radius),
                    Arg::Vertex(to),
                    Arg::Quaternion(to_turn),
                    Arg::Coord(to_radius),
                ],
            ) => {
                let ends = [
                    (self.frame(*from, *from_turn)?, *from_radius),
                    (self.frame(*to, *to_turn)?, *to_radius),
                ];
                let mesh = solid::cylinder(ends, fineness)?;
                let straight = from_turn.is_none() && to_turn.is_none();
                odd(
                    (mesh.0, mesh.1 && !straight),
                    self,
                    "not as it says: the ends do not look along the axis, and were turned so",
                )
            }
            (CommandId::SPHERE, [Arg::Vertex(center), Arg::Coord(radius)]) => {
                solid::sphere(self.point(*center)?, *radius, fineness)?
            }
            (
                CommandId::TORUS,
                [Arg::Vertex(position), Arg::Quaternion(orientation), Arg::Coord(major), Arg::Coord(minor)],
            ) => solid::torus(&self.frame(*position, *orientation)?, *major, *minor, fineness)?,
            (CommandId::CONE, [Arg::Vertex(a), Arg::Vertex(b), Arg::Vertex(c)]) => {
                let points = [self.point(*a)?, self.point(*b)?, self.point(*c)?];
                odd(
                    solid::cone(points, fineness)?,
                    self,
                    "not as it says: the third point is beside the rim of the base, and was moved there",
                )
            }
            (CommandId::CUBE, [Arg::Vertex(a), Arg::Vertex(b), Arg::Vertex(c)]) => {
                let points = [self.point(*a)?, self.point(*b)?, self.point(*c)?];
                odd(solid::cube(points)?, self, "not a cube: it is as high as its first side is long")
            }
            (
                CommandId::MESH,
                [Arg::Int(first), Arg::Int(count), Arg::Vertex(position), Arg::Quaternion(orientation)],
            ) => {
                let inner = self.frame(*position, *orientation)?;
                let mesh = self.faces(*first, *count)?;
                return self.add_surface(mesh, &frame.then(&inner));
            }
            (id, _) if (CommandId::BEZIER_UN.0..=CommandId::NURBS.0).contains(&id.0) => {
                self.patch(command, settings)?
            }
            (id, _) if id.key().is_some() => return Err(ARGUMENTS.into()),
            _ => return Err("not evaluated: nobody knows this command".into()),
        };
        self.add_surface(mesh, frame)
    }

    fn take(&mut self, points: usize) -> Result<(), Why> {
        self.left = self.left.checked_sub(points as u64).ok_or(patch::MORE)?;
        Ok(())
    }

    fn add_surface(&mut self, mut mesh: TriMesh, frame: &Frame) -> Result<(), Why> {
        self.take(mesh.positions.len())?;
        for position in &mut mesh.positions {
            *position = float(frame.place(position.to_array().map(f64::from)));
        }
        for normal in &mut mesh.normals {
            *normal = float(frame.turn(normal.to_array().map(f64::from)));
        }
        let (shape, command, material) = (self.shape, self.command, self.material.clone());
        self.out.surfaces.push(Surface { shape, command, material, mesh });
        Ok(())
    }

    fn add_curve(&mut self, points: Vec<Point>, helper: bool, frame: &Frame) -> Result<(), Why> {
        self.take(points.len())?;
        let points = points.into_iter().map(|point| float(frame.place(point))).collect();
        let (shape, command, material) = (self.shape, self.command, self.material.clone());
        self.out.curves.push(Curve { shape, command, material, helper, points });
        Ok(())
    }

    /// Faces of the polygon mesh, as fans; all behind the first where the count is -1.
    fn faces(&mut self, first: i32, count: i32) -> Result<TriMesh, Why> {
        let first = usize::try_from(first).map_err(|_| "a first face below 0")?;
        let count = match count {
            -1 => usize::MAX,
            _ => usize::try_from(count).map_err(|_| "a count of faces below 0")?,
        };
        let mut mesh = TriMesh::default();
        let mut short = 0;
        let model = self.model;
        let polygons = model.meshes.iter().flat_map(|mesh| mesh.polygons()).skip(first).take(count);
        for polygon in polygons {
            let Some(base) =
                u32::try_from(mesh.positions.len()).ok().filter(|&len| u64::from(len) <= self.left)
            else {
                return Err(patch::MORE.into());
            };
            for &vertex in polygon.vertices {
                mesh.positions.push(float(self.point(vertex)?));
            }
            // A point and a line are no surface.
            short += usize::from(polygon.vertices.len() < 3);
            for corner in (2..).take(polygon.vertices.len().saturating_sub(2)) {
                mesh.triangles.push([base, base + corner - 1, base + corner]);
            }
        }
        if short != 0 {
            self.left_out(format!("not evaluated: {short} faces that are points or lines"));
        }
        Ok(mesh)
    }

    /// The part of a range that the knots cover.
    fn range(&mut self, settings: &Settings, along: usize, basis: &Basis) -> Result<(f64, f64), Why> {
        let (low, high) = basis.domain();
        let (mut from, mut to) = settings.ranges[along].unwrap_or((0.0, 1.0));
        if from > to {
            self.left_out(format!("the range of {from} to {to} goes backwards: taken forwards"));
            (from, to) = (to, from);
        }
        let cut = (from.max(low), to.min(high));
        let slack = 1e-6 * (high - low);
        if cut.0.is_nan() || cut.1.is_nan() || cut.1 - cut.0 <= slack {
            return Err(format!("a range of {from} to {to} where the knots go from {low} to {high}").into());
        }
        if from < low - slack || to > high + slack {
            self.left_out(format!("the range of {from} to {to} is cut to the knots, {low} to {high}"));
        }
        Ok(cut)
    }

    fn curve(&mut self, command: &Command, settings: Settings, frame: &Frame) -> Result<(), Why> {
        let controls = self.controls(command)?;
        let make = match command.id {
            CommandId::BEZIER_1 | CommandId::BEZIER_2 => Settings::bezier,
            _ => Settings::spline,
        };
        let basis = make(&settings, 0, Some(controls.len()))?;
        if basis.points() != controls.len() {
            return Err(wrong_count(controls.len(), basis.points()));
        }
        let range = self.range(&settings, 0, &basis)?;
        let points =
            patch::curve(&controls, &basis, range, settings.division, self.options.divisions, self.left)?;
        self.add_curve(points, true, frame)
    }

    fn patch(&mut self, command: &Command, settings: Settings) -> Result<TriMesh, Why> {
        let controls = self.controls(command)?;
        let make = if command.id.0 <= CommandId::BEZIER.0 { Settings::bezier } else { Settings::spline };
        // One parameter may be known by its knots; what is left is along the other one.
        let along = |known: &Basis| Some(controls.len() / known.points()).filter(|&count| count > 0);
        let (u, v) = match &settings.knots {
            [None, Some(_)] => {
                let v = make(&settings, 1, None)?;
                (make(&settings, 0, along(&v))?, v)
            }
            _ => {
                let u = make(&settings, 0, None)?;
                let v = make(&settings, 1, along(&u))?;
                (u, v)
            }
        };
        let wanted = u.points().saturating_mul(v.points());
        if wanted != controls.len() {
            return Err(wrong_count(controls.len(), wanted));
        }
        let ranges = [self.range(&settings, 0, &u)?, self.range(&settings, 1, &v)?];
        let patch = Patch { controls: &controls, u, v };
        Ok(patch.mesh(ranges, settings.division, self.options.divisions, self.left)?)
    }

    /// The control points of a command, with what stands beside them.
    fn controls(&self, command: &Command) -> Result<Vec<Control>, Why> {
        let round = command.id.round_len().unwrap_or(1);
        if !command.args.len().is_multiple_of(round) {
            return Err(ARGUMENTS.into());
        }
        let mut controls = Vec::with_capacity(command.args.len() / round);
        for args in command.args.chunks_exact(round) {
            let mut control = Control::default();
            let [Arg::Vertex(point), beside @ ..] = args else { return Err(ARGUMENTS.into()) };
            let [x, y, z, weight] = self.vertex(*point)?;
            (control.point, control.weight) = ([x, y, z], weight);
            for arg in beside {
                match arg {
                    Arg::TexCoord(id) => control.uv = Some(self.pair(*id)?.into()),
                    Arg::Vertex(id) => control.normal = Some(self.point(*id)?),
                    _ => return Err(ARGUMENTS.into()),
                }
            }
            controls.push(control);
        }
        if controls.windows(2).all(|pair| length(sub(pair[0].point, pair[1].point)) == 0.0) {
            return Err("control points in one place".into());
        }
        Ok(controls)
    }
}

const ARGUMENTS: &str = "other arguments than the command has";

fn wrong_count(there: usize, wanted: usize) -> Why {
    format!("{there} control points where degrees and knots want {wanted}").into()
}
