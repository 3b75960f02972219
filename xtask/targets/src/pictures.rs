//! Small pictures of scenes.

use rezkit::render::{RenderOptions, Renderer};
use rezkit::scene::Scene;

use crate::kit::ok;

/// A small picture in each way.
pub fn draw(scene: &Scene, max_bytes: u64) {
    let Some(renderer) = ok(Renderer::new(scene, max_bytes)) else { return };
    let _pictures = [plain(scene), lines(scene)].map(|options| ok(renderer.draw(&options)));
}

pub(crate) fn plain(_: &Scene) -> RenderOptions {
    let mut options = RenderOptions::default();
    (options.width, options.height) = (64, 64);
    options
}

/// Edges and joints, in motion, as a camera of the file has them.
pub(crate) fn lines(scene: &Scene) -> RenderOptions {
    let mut options = plain(scene);
    (options.wireframe, options.skeleton, options.time) = (true, true, 0.5);
    options.animation = (!scene.animations.is_empty()).then_some(0);
    options.camera = scene.nodes.iter().position(|node| node.camera.is_some());
    options
}
