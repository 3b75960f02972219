//! The options of pictures by their names, and what they mean for a scene.

use rbxcore::geom::Aabb;
use rezkit_core::{Error, Result};
use rezkit_render::RenderOptions;
use rezkit_scene::Scene;

use crate::settings::{OptionValue, Options, Setting, Topic, put, row};

/// The options of a picture, of any scene.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PictureOptions {
    /// What is the same for every scene. The camera, the animation and the frame result from the other options.
    pub render: RenderOptions,
    /// The direction of the camera in degrees: yaw and pitch. `None` for beside the front of the model.
    pub angle: Option<[f32; 2]>,
    /// Whether the camera is the first one of the scene.
    pub is_placed: bool,
    /// The path of the instance or the name of the node that fills the picture.
    pub look: Option<String>,
    /// The name or index of the animation that poses the model.
    pub action: Option<String>,
    /// The time in the animation, in seconds.
    pub time: Option<f32>,
}

const fn image(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    apply: fn(&mut PictureOptions, &OptionValue) -> Option<Result<()>>,
) -> Setting<PictureOptions> {
    row(Topic::Image, name, value, help, apply)
}

impl Options for PictureOptions {
    const TABLE: &'static [Setting<Self>] = &[
        image("size", "WIDTHxHEIGHT", "The size of each image in pixels", |to, given| {
            [to.render.width, to.render.height] = size(given)?;
            Some(Ok(()))
        })
        .expects("a size of at most 16384x16384 pixels, such as 640x480, or 512 for a square")
        .shows(|of| format!("{}x{}", of.render.width, of.render.height))
        .often(),
        image(
            "angle",
            "YAW,PITCH",
            "The direction from which the camera looks at the model, in degrees: YAW turns the camera around the model \
             (at 0, it shows the +z side), and PITCH raises it",
            |to, given| put(&mut to.angle, angle(given).map(Some)),
        )
        .expects("one or two angles in degrees, such as 30,20")
        .shows(|of| {
            let RenderOptions { yaw, pitch, .. } = of.render;
            format!("{yaw} degrees beside the front of the model, raised by {pitch}")
        })
        .often(),
        image("zoom", "FACTOR", "The magnification; at 1, the model fits into the image", |to, given| {
            put(&mut to.render.zoom, given.number().filter(|zoom| *zoom > 0.0 && zoom.is_finite()))
        })
        .expects("a number above 0")
        .shows(|of| of.render.zoom.to_string()),
        image(
            "camera",
            "CAMERA",
            "The camera from which the image is rendered: `frame` shows the whole model, and `place` is the current \
             camera of a Roblox place, or the first camera in the file",
            |to, given| put(&mut to.is_placed, given.text().map(|camera| camera == "place")),
        )
        .one_of(&["frame", "place"])
        .shows(|of| if of.is_placed { "place" } else { "frame" }.to_owned()),
        image(
            "look",
            "PATH",
            "Move the camera so that the instance or node at this path fills the image",
            |to, given| put(&mut to.look, given.text().map(Some)),
        )
        .often(),
        image(
            "outliers",
            "",
            "Fit the whole model into the image, including ground plates and parts that are far from the others",
            |to, given| put(&mut to.render.outliers, given.flag()),
        ),
        image("wireframe", "", "Draw the edges of triangles instead of their surfaces", |to, given| {
            put(&mut to.render.wireframe, given.flag())
        }),
        image(
            "skeleton",
            "",
            "Draw the skeleton as lines; this is the default for files without triangles, such as animations",
            |to, given| put(&mut to.render.skeleton, given.flag()),
        ),
        image(
            "action",
            "NAME",
            "Pose the model with the animation of this name or index (the first has index 0); a GIF shows the whole \
             animation, unless --time is given",
            |to, given| put(&mut to.action, given.text().map(Some)),
        )
        .often(),
        image(
            "time",
            "SECONDS",
            "Pose the model at this time of its animation, in seconds; --action can be omitted if the file has one \
             animation. Without --time, --action poses the model at 0 s. Without both, a model with triangles is shown \
             at rest",
            |to, given| put(&mut to.time, given.number().filter(|time| time.is_finite()).map(Some)),
        )
        .expects("a number of seconds"),
        image(
            "background",
            "COLOUR",
            "The background colour: hexadecimal RRGGBB or RRGGBBAA, or \"none\" for a transparent background",
            |to, given| put(&mut to.render.background, colour(given)),
        )
        .expects("a hexadecimal colour (RRGGBB or RRGGBBAA) or the word \"none\"")
        .shows(|of| {
            let [red, green, blue, _] = of.render.background;
            format!("{red:02x}{green:02x}{blue:02x}")
        }),
    ];
}

/// `640x480`, 640 and 480, or one number for a square.
fn size(given: &OptionValue) -> Option<[u32; 2]> {
    let text = match given {
        OptionValue::Numbers(numbers) => match numbers[..] {
            [width, height] => format!("{width}x{height}"),
            _ => return None,
        },
        given => given.text()?,
    };
    let (width, height) = text.split_once('x').unwrap_or((&text, &text));
    Some([width.parse().ok()?, height.parse().ok()?])
}

/// Yaw and pitch, or yaw alone.
fn angle(given: &OptionValue) -> Option<[f32; 2]> {
    let angle = given.pair().or_else(|| Some([given.number()?, RenderOptions::default().pitch]))?;
    angle.iter().all(|angle| angle.is_finite()).then_some(angle)
}

/// Hexadecimal digits, or red, green, blue and alpha from 0 to 255.
fn colour(given: &OptionValue) -> Option<[u8; 4]> {
    if let OptionValue::Numbers(numbers) = given {
        let is_byte = |number: &f64| (0.0..=255.0).contains(number) && number.fract() == 0.0;
        let numbers = <[f64; 4]>::try_from(&numbers[..]).ok().filter(|all| all.iter().all(is_byte))?;
        #[allow(clippy::cast_possible_truncation, reason = "checked")]
        return Some(numbers.map(|number| number as u8));
    }
    let text = given.text()?;
    let digits = text.strip_prefix('#').unwrap_or(&text);
    match (u32::from_str_radix(digits, 16), digits.len()) {
        _ if text == "none" => Some([0; 4]),
        (Ok(value), 6) => Some((value << 8 | 0xff).to_be_bytes()),
        (Ok(value), 8) => Some(value.to_be_bytes()),
        _ => None,
    }
}

impl PictureOptions {
    /// The options for a scene. `paths` are those of its nodes, for the option `look`, if they are
    /// [known](crate::Opened::node_paths).
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the scene lacks what the options name, or they contradict each other.
    pub fn of(&self, scene: &Scene, paths: &[Option<String>]) -> Result<RenderOptions> {
        let mut options = self.render.clone();
        [options.yaw, options.pitch] = self.angle.unwrap_or([scene.front + options.yaw, options.pitch]);
        // Of an animation without a model, the joints are drawn.
        let has_joints = !scene.skins.is_empty() || !scene.animations.is_empty();
        let only_joints = scene.triangle_count() == 0 && has_joints;
        options.skeleton |= only_joints;
        if self.is_placed {
            if let Some(other) = self.angle.map(|_| "angle").or(self.look.as_ref().map(|_| "look")) {
                return Err(Error::argument(format!("--camera place cannot be combined with --{other}")));
            }
            let camera = scene.main_camera();
            let nothing = "--camera place requires a camera, but the file has none (use --camera frame)";
            options.camera = Some(camera.ok_or_else(|| Error::argument(nothing))?);
        }
        if let Some(path) = &self.look {
            let nothing = || format!("--look {path}: found no instance or node with triangles at this path");
            let found = bounds(scene, paths, path);
            options.frame = Some(found.ok_or_else(|| Error::argument(nothing()))?);
        }
        options.time = self.time.unwrap_or_default();
        options.animation = (only_joints && !scene.animations.is_empty()).then_some(0);
        match (&self.action, self.time, scene.animations.len()) {
            (Some(action), ..) => options.animation = Some(scene.find_animation(action)?),
            (None, Some(_), 1) => options.animation = Some(0),
            (None, Some(_), count @ 2..) if !only_joints => {
                let what = format!("--time requires --action, since the file has {count} animations");
                return Err(Error::argument(what));
            }
            _ => {}
        }
        Ok(options)
    }
}

/// The box around an instance, found by its path, or a node, found by its name, with everything below it.
fn bounds(scene: &Scene, paths: &[Option<String>], wanted: &str) -> Option<Aabb> {
    let is_at = |path: &String| {
        path.strip_prefix(wanted).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'/', ..]))
    };
    let path = |node: usize| paths.get(node).and_then(Option::as_ref);
    let mut inside: Vec<bool> = (scene.nodes.iter().enumerate())
        .map(|(index, node)| node.name == wanted || path(index).is_some_and(is_at))
        .collect();
    for node in scene.walk().into_iter().filter(|&node| inside[node]).collect::<Vec<_>>() {
        let mut waiting = scene.nodes[node].children.clone();
        while let Some(child) = waiting.pop().filter(|&child| !inside[child]) {
            inside[child] = true;
            waiting.extend(&scene.nodes[child].children);
        }
    }
    let (placed, pose) = (scene.placed(), scene.pose());
    let posed = placed.iter().zip(scene.posed(&pose));
    let points = posed.filter(|(placed, _)| inside[placed.node]).flat_map(|(_, primitives)| {
        primitives.into_iter().flat_map(|primitive| primitive.mesh.positions.clone())
    });
    Aabb::from_points(points)
}
