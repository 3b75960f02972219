//! FORMAT.md lists every key in the tables of the code, with its type.

/// The rows under a heading of FORMAT.md that begin with a key and its type.
fn rows(heading: &str) -> Vec<(&'static str, &'static str)> {
    let format = include_str!("../../FORMAT.md");
    let section = format.split("\n## ").find(|section| section.starts_with(heading)).expect(heading);
    let row = |line: &'static str| {
        let mut cells = line.strip_prefix("| `")?.splitn(3, " | ");
        Some((cells.next()?.strip_suffix('`')?, cells.next()?))
    };
    section.lines().filter_map(row).collect()
}

#[test]
fn format_md_has_every_key_with_its_type() {
    let tables = [
        ("The header", "Asset"),
        ("Levels of detail", "Submesh"),
        ("skin", "Skin"),
        ("physics_convex", "StoredConvex"),
        ("physics_havok", "Havok"),
        ("physics_havok", "MassProps"),
        ("physics_havok", "Mopp"),
        ("physics_cost_data", "CostData"),
        (".slm", "StoredSlm"),
        (".slm", "Instance"),
    ];
    // The tables in the source: a field, a key and a type, or a field and a block.
    let source = include_str!("../../src/model/keys.rs");
    let mut heading = "";
    let mut compared = [0; 2];
    for line in source.lines().map(str::trim) {
        if let Some((name, _)) = line.split_once(" [") {
            heading = tables.iter().find(|(_, table)| *table == name).map_or(heading, |(heading, _)| heading);
        }
        match *line.split('"').collect::<Vec<_>>().as_slice() {
            [_, key, " ", kind, ","] => {
                assert!(
                    rows(heading).contains(&(key, kind)),
                    "FORMAT.md, {heading}: no row | `{key}` | {kind} |"
                );
                compared[0] += 1;
            }
            // The last one is the old name of a block.
            [_, key, "," | ";"] => {
                assert!(rows("The header").contains(&(key, "block")), "FORMAT.md: no block {key}");
                compared[1] += 1;
            }
            _ => {}
        }
    }
    assert_eq!(compared, [54, 9]);
}
