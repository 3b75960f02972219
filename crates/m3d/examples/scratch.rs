fn main() {
    for p in std::env::args().skip(1) {
        let b = std::fs::read(&p).unwrap();
        match m3d::from_slice(&b) {
            Ok(m) => {
                println!(
                    "{p}: {} v{} t{} b{} s{} m{} f{} act{} assets{} extras{} chunks{:?}",
                    m.name,
                    m.vertices.len(),
                    m.tex_coords.uvs.len(),
                    m.bones.len(),
                    m.skins.len(),
                    m.materials.len(),
                    m.face_count(),
                    m.actions.len(),
                    m.assets.len(),
                    m.extras.len(),
                    m.layout.chunks
                );
                println!(
                    "   nruns {} cruns {} longs {:?} vox {:?} tails {:?}",
                    m.layout.name_runs.len(),
                    m.layout.color_runs.len(),
                    m.layout.long_commands,
                    m.layout.voxel_data.iter().map(|x| x.1.len()).collect::<Vec<_>>(),
                    m.layout.tails
                );
                if !m.layout.color_runs.is_empty() {
                    println!("{:?} {:?}", m.layout.color_runs, m.layout.palette);
                }
                for s in &m.shapes {
                    println!("{s:?}");
                }
            }
            Err(e) => println!("{p}: {e}"),
        }
    }
}
