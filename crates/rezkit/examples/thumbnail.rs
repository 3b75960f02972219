//! Draws a picture of any file with geometry: `cargo run --example thumbnail FILE OUTPUT.png`.

use rezkit::render::Renderer;
use rezkit::scene::images;
use rezkit::{PictureOptions, SceneOptions, open};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(output)) = (args.next(), args.next()) else {
        return Err("usage: thumbnail FILE OUTPUT.png".into());
    };
    let mut file = open(std::fs::read(&path)?, &path, ())?;
    let (scene, _) = file.scene(&SceneOptions::new())?;
    let mut options = PictureOptions::default();
    [options.render.width, options.render.height] = [256, 256];
    let picture = Renderer::new(&scene, 256 << 20)?.draw(&options.of(&scene, &[])?)?;
    std::fs::write(output, images::png(&picture)?)?;
    Ok(())
}
