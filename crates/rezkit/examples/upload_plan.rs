//! What a model would cost in Second Life, and the files of its upload: `cargo run --example upload_plan MODEL FOLDER`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::path::Path;

use rezkit::scene::Levels;
use rezkit::upload::sl::{Options, second_life};
use rezkit::{SceneOptions, open};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(folder)) = (args.next(), args.next()) else {
        return Err("usage: upload_plan MODEL FOLDER".into());
    };
    let mut file = open(std::fs::read(&path)?, &path, ())?;
    let (scene, losses) = file.scene(&SceneOptions::new().levels(Levels::All))?;
    losses.iter().for_each(|loss| println!("{loss}"));
    let mut no_pictures = |_: &_, _| Ok(None);
    let upload = second_life(&scene, "model", &[], &Options::default(), &mut no_pictures)?;
    println!("land impact {}", upload.report.land_impact);
    for file in &upload.files {
        let path = Path::new(&folder).join(file.path());
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        std::fs::write(path, &file.bytes)?;
    }
    Ok(())
}
