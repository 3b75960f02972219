fn main() {
    for p in std::env::args().skip(1) {
        let b = std::fs::read(&p).unwrap();
        if let Ok(m) = m3d::from_slice(&b) {
            for a in &m.actions {
                let t = (a.duration / 3) as f32;
                for w in [m3d::AfterLast::Hold] {
                    let pose = m.pose_with(a, t, w);
                    let sum = |ms: Vec<m3d::geom::Mat4>| {
                        let mut s = 0.0; let mut l = 0.0; let mut tr = 0.0; let mut d=0.0;
                        for x in ms { let f: [f32;16] = x.into(); s += f.iter().sum::<f32>(); l += x.linear().to_rows().iter().sum::<f32>(); let v = x.translation(); tr += v.x+v.y+v.z; let r = x.linear().to_rows(); d += r[0]+r[4]+r[8]; }
                        (s, l, tr, d, l + tr)
                    };
                    println!("{p} local {:?}", sum(pose.bones.iter().map(|b| b.to_mat4()).collect()));
                    println!("{p} world {:?}", sum(m.bone_matrices(&pose)));
                    println!("{p} skin {:?}", sum(m.skinning_matrices(&pose)));
                }
            }
        }
    }
}
