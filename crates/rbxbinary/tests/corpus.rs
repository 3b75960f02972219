//! Real files.

use testkit::{Sample, corpus};

#[test]
fn scan() {
    let mut kinds = std::collections::BTreeMap::new();
    for Sample { name, bytes } in corpus("rbxbinary") {
        let doc = rbxbinary::from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        println!(
            "{name}: {} classes, {} instances, raw {}",
            doc.classes.len(),
            doc.instance_count(),
            rbxbinary::chunks(&bytes).unwrap().map(|c| c.unwrap().len as u64).sum::<u64>()
        );
        for f in rbxbinary::check(&doc) {
            println!("    {f}");
        }
        for c in &doc.classes {
            for p in &c.properties {
                *kinds.entry(format!("{:?}", p.column.type_id())).or_insert(0) += 1;
                if matches!(p.column, rbxbinary::Column::Unknown { .. } | rbxbinary::Column::Untyped) {
                    println!("!! {} {} {:?}", c.name, p.name, p.column);
                }
            }
        }
    }
    println!("{kinds:#?}");
}
