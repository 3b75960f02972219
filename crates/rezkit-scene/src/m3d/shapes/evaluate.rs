//! Evaluates the commands of a shape, one after the other.

use std::collections::HashSet;

use bstr::{BStr, ByteSlice};
use geom::TriMesh;
use m3d::{
    Arg, Command, CommandId, ErrorKind, Model, Problem, ShapeId, TexCoordId, VertexId, ViewBudget,
    exact_numbers,
};

use super::basis::{Basis, Kind, Settings};
use super::divide::{Division, Fineness};
use super::patch::{self, Control, Patch};
use super::polygon::polygon;
use super::solid;
use super::space::{Frame, Point, float, length, scale, sub};
use super::{Curve, Evaluated, LeftOut, Stop, Surface, Why, charge, in_range};

/// The maximum depth of shapes that include each other; deeper ones are omitted.
const MAX_DEPTH: u32 = 16;

/// The steps that a command costs, besides those of drawing.
const COMMAND: u64 = 32;

pub(super) fn evaluate<'m>(
    model: &'m Model,
    shape: ShapeId,
    divisions: u32,
    work: &ViewBudget,
) -> Result<Evaluated<'m>, ErrorKind> {
    if shape.get().is_none_or(|shape| shape >= model.shapes.len()) {
        return Err(ErrorKind::InvalidArgument(Problem::reference("shape", shape.0, model.shapes.len())));
    }
    let material = b"".as_bstr();
    let at = At { shape, command: 0, id: CommandId(0), reasons: 0, material, frame: Frame::WORLD, depth: 0 };
    let metres = model.scale_or_one().into();
    let out = Evaluated::default();
    let mut evaluator = Evaluator { model, divisions, work, metres, out, listed: HashSet::new(), at };
    evaluator.shape(shape, Frame::WORLD, 0)?;
    Ok(evaluator.out)
}

struct Evaluator<'m, 'w> {
    model: &'m Model,
    divisions: u32,
    work: &'w ViewBudget,
    /// The length of a coordinate of 1, in metres.
    metres: f64,
    out: Evaluated<'m>,
    /// The listed reasons, each by its shape, its command and its number in the command: a shape can be included often.
    listed: HashSet<(ShapeId, usize, u32)>,
    at: At<'m>,
}

/// The current command.
#[derive(Clone, Copy)]
struct At<'m> {
    shape: ShapeId,
    command: usize,
    id: CommandId,
    /// The number of reasons for which it was not evaluated as the format defines.
    reasons: u32,
    material: &'m BStr,
    frame: Frame,
    /// The number of shapes that include this one.
    depth: u32,
}

impl<'m, 'w> Evaluator<'m, 'w> {
    fn left_out(&mut self, why: impl Into<Why>) -> Result<(), ErrorKind> {
        self.list(why.into(), false)
    }

    /// Lists the current command as evaluated differently from its definition.
    fn changed(&mut self, why: impl Into<Why>) -> Result<(), ErrorKind> {
        self.list(why.into(), true)
    }

    fn list(&mut self, why: Why, is_changed: bool) -> Result<(), ErrorKind> {
        let At { shape, command, id, reasons, .. } = self.at;
        self.at.reasons += 1;
        if !self.listed.insert((shape, command, reasons)) {
            return Ok(());
        }
        let text = if let Why::Owned(why) = &why { why.len() } else { 0 };
        self.work.bytes((text + 2 * size_of::<(ShapeId, usize, u32)>()) as u64)?;
        self.work.push(&mut self.out.left_out, LeftOut { shape, command, id, is_changed, why })
    }

    /// As [`changed`](Self::changed), if `other` is true.
    fn note(&mut self, other: bool, why: &'static str) -> Result<(), ErrorKind> {
        if other { self.changed(why) } else { Ok(()) }
    }

    fn shape(&mut self, id: ShapeId, frame: Frame, depth: u32) -> Result<(), ErrorKind> {
        let model = self.model;
        let Some(shape) = id.get().and_then(|shape| model.shapes.get(shape)) else {
            return self.left_out("the included shape does not exist");
        };
        let outer = self.at;
        self.at = At { shape: id, material: b"".as_bstr(), frame, depth, ..outer };
        let mut settings = Settings::default();
        for (index, command) in shape.commands.iter().enumerate() {
            (self.at.command, self.at.id, self.at.reasons) = (index, command.id, 0);
            self.work.steps(COMMAND + command.args.len() as u64)?;
            match self.run(command, &mut settings) {
                Ok(()) => {}
                Err(Stop::LeftOut(why)) => self.left_out(why)?,
                Err(Stop::Limit(limit)) => return Err(limit),
            }
        }
        for (command, id) in settings.unused {
            (self.at.command, self.at.id) = (command, id);
            self.left_out("the command has no effect, since no curve or surface follows")?;
        }
        self.at = outer;
        Ok(())
    }

    fn run(&mut self, command: &'m Command, settings: &mut Settings) -> Result<(), Stop> {
        match command.id {
            CommandId::USE => {
                let [Arg::Material(name)] = command.args.as_slice() else { return Err(ARGUMENTS.into()) };
                self.at.material = name.as_bstr();
                Ok(())
            }
            CommandId::INCLUDE => self.include(&command.args),
            CommandId::TRIM | CommandId::HOLE => {
                Err("trimming surfaces is not supported; the surface is converted without the cut".into())
            }
            CommandId::SPECIAL_CURVE | CommandId::SPECIAL_POINTS => {
                Err("special curves and points of surfaces are not supported".into())
            }
            CommandId::CONNECT => Err("connecting surfaces is not supported".into()),
            CommandId::DIVIDE
            | CommandId::SUBDIVIDE
            | CommandId::LENGTH
            | CommandId::DISTANCE
            | CommandId::DEGREE_U
            | CommandId::DEGREE
            | CommandId::RANGE_U
            | CommandId::RANGE
            | CommandId::KNOTS_U
            | CommandId::KNOTS_V => {
                self.set(command, settings)?;
                Ok(self.work.push(&mut settings.unused, (self.at.command, command.id))?)
            }
            _ => self.draw(command, std::mem::take(settings)),
        }
    }

    fn include(&mut self, args: &[Arg]) -> Result<(), Stop> {
        let [Arg::Shape(shape), ..] = *args else { return Err(ARGUMENTS.into()) };
        let inner = self.frame_of(args, 1)?;
        let At { frame, depth, .. } = self.at;
        if depth >= MAX_DEPTH {
            return Err("includes are nested more than 16 deep".into());
        }
        Ok(self.shape(shape, frame.then(&inner), depth + 1)?)
    }

    /// Applies a command that sets an option of the next curve or surface.
    fn set(&mut self, command: &Command, settings: &mut Settings) -> Result<(), Stop> {
        let metres = self.metres;
        match (command.id, command.args.as_slice()) {
            (CommandId::DIVIDE, [Arg::Coord(both)]) => settings.division = Division::Parts([*both; 2]),
            (CommandId::SUBDIVIDE, [Arg::Coord(u), Arg::Coord(v)]) => {
                settings.division = Division::Parts([*u, *v]);
            }
            (CommandId::LENGTH, [Arg::Coord(most)]) => settings.division = Division::Length(most * metres),
            (CommandId::DISTANCE, [Arg::Coord(most), Arg::Coord(angle)]) => {
                settings.division = Division::Distance(most * metres, *angle);
            }
            (CommandId::DEGREE_U, [Arg::Int(u)]) => settings.degrees[0] = Some(*u),
            (CommandId::DEGREE, [Arg::Int(u), Arg::Int(v)]) => settings.degrees = [Some(*u), Some(*v)],
            (CommandId::RANGE_U, [Arg::TexCoord(u)]) => settings.ranges[0] = Some(self.pair(*u)?),
            (CommandId::RANGE, [Arg::TexCoord(u), Arg::TexCoord(v)]) => {
                settings.ranges = [Some(self.pair(*u)?), Some(self.pair(*v)?)];
            }
            (CommandId::KNOTS_U | CommandId::KNOTS_V, knots) => {
                let along = usize::from(command.id == CommandId::KNOTS_V);
                self.work.values::<f64>(knots.len() as u64)?;
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

    fn pair(&self, id: TexCoordId) -> Result<(f64, f64), Stop> {
        let list = &self.model.tex_coords;
        let uv = id.get().and_then(|index| Some((index, list.uvs.get(index)?)));
        let (index, uv) = uv.ok_or("the command refers to a texture coordinate that does not exist")?;
        let [u, v] = exact_numbers(uv.to_array(), list.precise.get(index));
        Ok((u, v))
    }

    /// The four numbers of a vertex, as stored in the model.
    fn vertex(&self, id: VertexId) -> Result<[f64; 4], Stop> {
        let list = &self.model.vertices;
        let coord = list.coord(id).ok_or("the command refers to a vertex that does not exist")?.to_array();
        Ok(exact_numbers(coord, id.get().and_then(|index| list.precise.get(index))))
    }

    fn direction(&self, id: VertexId) -> Result<Point, Stop> {
        let [x, y, z, _] = self.vertex(id)?;
        let finite = [x, y, z].iter().all(|part| part.is_finite());
        if finite {
            Ok([x, y, z])
        } else {
            Err("the command refers to a vertex with a coordinate that is NaN or infinite".into())
        }
    }

    /// A point in metres.
    fn point(&self, id: VertexId) -> Result<Point, Stop> {
        Ok(scale(self.direction(id)?, self.metres))
    }

    fn points(&self, args: &[Arg]) -> Result<Vec<Point>, Stop> {
        self.work.values::<Point>(args.len() as u64)?;
        args.iter()
            .map(|arg| match arg {
                Arg::Vertex(id) => self.point(*id),
                _ => Err(ARGUMENTS.into()),
            })
            .collect()
    }

    /// The frame from two arguments, a position and an orientation; the orientation may be absent.
    fn frame_of(&mut self, args: &[Arg], at: usize) -> Result<Frame, Stop> {
        let Some([Arg::Vertex(position), Arg::Quaternion(orientation), ..]) = args.get(at..) else {
            return Err(ARGUMENTS.into());
        };
        let origin = self.point(*position)?;
        if orientation.is_none() {
            return Ok(Frame { origin, ..Frame::WORLD });
        }
        let quaternion = self.vertex(*orientation)?;
        let size = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
        if !size.is_finite() {
            return Err("the orientation has a component that is NaN or infinite".into());
        }
        // In eight or sixteen bits, the length is not exactly 1.
        let other = (size - 1.0).abs() > 0.02;
        self.note(other, "the orientation is not a unit quaternion: its length is ignored")?;
        Ok(Frame::new(origin, quaternion))
    }

    /// The points of the first arguments.
    fn first_points<const N: usize>(&self, args: &[Arg]) -> Result<[Point; N], Stop> {
        let points = self.points(args.get(..N).ok_or(ARGUMENTS)?)?;
        points.try_into().map_err(|_| ARGUMENTS.into())
    }

    fn fineness(&self, settings: &Settings) -> Fineness<'w> {
        Fineness { division: settings.division, free: self.divisions, work: self.work }
    }

    /// Evaluates a command that creates a curve or a surface.
    fn draw(&mut self, command: &Command, settings: Settings) -> Result<(), Stop> {
        let (work, metres) = (self.work, self.metres);
        let fineness = self.fineness(&settings);
        let args = command.args.as_slice();
        if command.id.key().is_none() {
            return Err(format!("no command has the code {:#06x}", command.id.0).into());
        }
        command.writable().map_err(|_| ARGUMENTS)?;
        let length = |at: usize| match args.get(at) {
            Some(Arg::Coord(length)) => length * metres,
            _ => f64::NAN,
        };
        let mesh = match command.id {
            CommandId::BEZIER_1 | CommandId::BEZIER_2 => {
                return self.curve(command, settings, Kind::Bezier);
            }
            CommandId::BSPLINE_1 | CommandId::BSPLINE_2 => {
                return self.curve(command, settings, Kind::Spline);
            }
            CommandId::LINE => {
                let points = self.points(args)?;
                return self.add_curve(points, false);
            }
            CommandId::POLYGON => polygon(&self.points(args)?, work)?,
            CommandId::CIRCLE => solid::circle(&self.frame_of(args, 0)?, length(2), fineness)?,
            CommandId::CYLINDER => {
                let ends = [(self.frame_of(args, 0)?, length(2)), (self.frame_of(args, 3)?, length(5))];
                let (mesh, turned) = solid::cylinder(ends, fineness)?;
                let given = args.iter().any(|arg| matches!(arg, Arg::Quaternion(id) if !id.is_none()));
                self.note(turned && given, ENDS)?;
                mesh
            }
            CommandId::SPHERE => {
                let [center] = self.first_points(args)?;
                solid::sphere(center, length(1), fineness)?
            }
            CommandId::TORUS => solid::torus(&self.frame_of(args, 0)?, length(2), length(3), fineness)?,
            CommandId::CONE => {
                let (mesh, odd) = solid::cone(self.first_points(args)?, fineness)?;
                self.note(odd, RIM)?;
                mesh
            }
            CommandId::CUBE => {
                charge(work, 24, 12)?;
                let (mesh, odd) = solid::cube(self.first_points(args)?)?;
                let what = "the base is not a square: the length of its first side is used as the height";
                self.note(odd, what)?;
                mesh
            }
            CommandId::MESH => {
                let inner = self.frame_of(args, 2)?;
                let [Arg::Int(first), Arg::Int(count), ..] = *args else { return Err(ARGUMENTS.into()) };
                let mesh = self.faces(first, count)?;
                return self.add_surface(mesh, self.at.frame.then(&inner));
            }
            CommandId::BEZIER_UN | CommandId::BEZIER_U | CommandId::BEZIER_N | CommandId::BEZIER => {
                self.patch(command, settings, Kind::Bezier)?
            }
            _ => self.patch(command, settings, Kind::Spline)?,
        };
        self.add_surface(mesh, self.at.frame)
    }

    fn add_surface(&mut self, mut mesh: TriMesh, frame: Frame) -> Result<(), Stop> {
        for position in &mut mesh.positions {
            *position = float(frame.place(position.to_array().map(f64::from)));
        }
        for normal in &mut mesh.normals {
            *normal = float(frame.turn(normal.to_array().map(f64::from)));
        }
        in_range(&mesh.positions)?;
        let At { shape, command, material, .. } = self.at;
        Ok(self.work.push(&mut self.out.surfaces, Surface { shape, command, material, mesh })?)
    }

    fn add_curve(&mut self, points: Vec<Point>, helper: bool) -> Result<(), Stop> {
        charge(self.work, points.len() as u64, 0)?;
        let At { shape, command, material, frame, .. } = self.at;
        let points: Vec<_> = points.into_iter().map(|point| float(frame.place(point))).collect();
        in_range(&points)?;
        let curve = Curve { shape, command, material, helper, points };
        Ok(self.work.push(&mut self.out.curves, curve)?)
    }

    /// Faces of the polygon mesh, as fans of triangles; if the count is -1, all from the first on.
    fn faces(&mut self, first: i32, count: i32) -> Result<TriMesh, Stop> {
        let first = usize::try_from(first)
            .map_err(|_| format!("expected 0 or more as the index of the first face, found {first}"))?;
        let end = match count {
            // Up to the last face.
            -1 => usize::MAX,
            // Does not overflow: both are below 2^31.
            _ => {
                first
                    + usize::try_from(count).map_err(|_| {
                        format!("expected 0 or more as the number of faces, or -1 for all, found {count}")
                    })?
            }
        };
        let mut mesh = TriMesh::default();
        let (mut short, mut seen) = (0, 0);
        let model = self.model;
        let polygons = model.meshes.iter().flat_map(|mesh| mesh.polygons());
        for (index, polygon) in polygons.enumerate().take(end) {
            self.work.steps(1)?;
            seen = index + 1;
            if index < first {
                continue;
            }
            let sides = polygon.vertices.len();
            charge(self.work, sides as u64, sides as u64)?;
            let base = u32::try_from(mesh.positions.len()).unwrap_or(u32::MAX);
            for &vertex in polygon.vertices {
                mesh.positions.push(float(self.point(vertex)?));
            }
            // Points and lines are not surfaces.
            short += usize::from(sides < 3);
            for (corner, _) in (2..).zip(polygon.vertices.iter().skip(2)) {
                mesh.triangles.push([base, base + corner - 1, base + corner]);
            }
        }
        if seen <= first && count != 0 {
            return Err(
                format!("expected the index of a face, found {first} (number of faces: {seen})").into()
            );
        }
        if seen < end && count > 0 {
            let what = format!("the command uses {count} faces from index {first}, but the model has {seen}");
            self.changed(what)?;
        }
        if short != 0 {
            self.changed(format!("faces with fewer than three corners are ignored (number: {short})"))?;
        }
        Ok(mesh)
    }

    /// The part of a range that the knots cover.
    fn range(&mut self, settings: &Settings, along: usize, basis: &Basis) -> Result<(f64, f64), Stop> {
        let (low, high) = basis.domain();
        let (mut from, mut to) = settings.ranges[along].unwrap_or((0.0, 1.0));
        if from > to {
            // The file has 32 bits: more digits would not be those of the file.
            let [from, to] = [from, to].map(|end| end as f32);
            self.changed(format!("the range from {from} to {to} is reversed: its ends were swapped"))?;
        }
        (from, to) = if from > to { (to, from) } else { (from, to) };
        let shown = format!("the range from {} to {}", from as f32, to as f32);
        let [low_shown, high_shown] = [low, high].map(|end| end as f32);
        let cut = (from.max(low), to.min(high));
        let slack = 1e-6 * (high - low);
        if cut.0.is_nan() || cut.1.is_nan() || cut.1 - cut.0 <= slack {
            return Err(format!(
                "{shown} covers no part of the knots, which are from {low_shown} to {high_shown}"
            )
            .into());
        }
        if from < low - slack || to > high + slack {
            self.changed(format!("{shown} was cut to the range of the knots, {low_shown} to {high_shown}"))?;
        }
        Ok(cut)
    }

    fn curve(&mut self, command: &Command, settings: Settings, kind: Kind) -> Result<(), Stop> {
        let controls = self.controls(command)?;
        let basis = settings.basis(kind, 0, Some(controls.len()), self.work)?;
        if basis.points() != controls.len() {
            return Err(wrong_count(controls.len(), basis.points()));
        }
        let range = self.range(&settings, 0, &basis)?;
        let points = patch::curve(&controls, &basis, range, self.fineness(&settings))?;
        self.add_curve(points, true)
    }

    fn patch(&mut self, command: &Command, settings: Settings, kind: Kind) -> Result<TriMesh, Stop> {
        let controls = self.controls(command)?;
        // If the knots of one parameter determine its number of points, the other one follows from the total.
        let along = |known: &Basis| Some(controls.len() / known.points()).filter(|&count| count > 0);
        let (u, v) = match &settings.knots {
            [None, Some(_)] => {
                let v = settings.basis(kind, 1, None, self.work)?;
                (settings.basis(kind, 0, along(&v), self.work)?, v)
            }
            _ => {
                let u = settings.basis(kind, 0, None, self.work)?;
                let v = settings.basis(kind, 1, along(&u), self.work)?;
                (u, v)
            }
        };
        // Saturating: no list is that long.
        let wanted = u.points().saturating_mul(v.points());
        if wanted != controls.len() {
            return Err(wrong_count(controls.len(), wanted));
        }
        let ranges = [self.range(&settings, 0, &u)?, self.range(&settings, 1, &v)?];
        Patch { controls: &controls, u, v }.mesh(ranges, self.fineness(&settings))
    }

    /// The control points of a command, with their texture coordinates and normals.
    fn controls(&self, command: &Command) -> Result<Vec<Control>, Stop> {
        let round = command.id.round_len().unwrap_or(1);
        if !command.args.len().is_multiple_of(round) {
            return Err(ARGUMENTS.into());
        }
        let count = command.args.len() / round;
        self.work.values::<Control>(count as u64)?;
        let mut controls = Vec::with_capacity(count);
        for args in command.args.chunks_exact(round) {
            let mut control = Control::default();
            let [Arg::Vertex(point), more @ ..] = args else { return Err(ARGUMENTS.into()) };
            let [x, y, z, weight] = self.vertex(*point)?;
            (control.point, control.weight) = (scale([x, y, z], self.metres), weight);
            for arg in more {
                match arg {
                    // v grows upwards in the file.
                    Arg::TexCoord(id) => control.uv = Some(self.pair(*id).map(|(u, v)| [u, 1.0 - v])?),
                    Arg::Vertex(id) => control.normal = Some(self.direction(*id)?),
                    _ => return Err(ARGUMENTS.into()),
                }
            }
            controls.push(control);
        }
        if controls.windows(2).all(|pair| length(sub(pair[0].point, pair[1].point)) == 0.0) {
            return Err("all control points coincide".into());
        }
        Ok(controls)
    }
}

const ARGUMENTS: &str = "the number or the types of the arguments do not match the command";
const ENDS: &str = "the two ends do not face along the axis: they were rotated to face along it";
const RIM: &str = "the third point is not on the rim of the base: it was moved to the rim";

fn wrong_count(found: usize, wanted: usize) -> Stop {
    format!("expected {wanted} control points for the given degrees and knots, found {found}").into()
}
