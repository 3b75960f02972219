//! Every fixture has the round trip grade of its manifest.

use rezkit::Grade;

#[test]
fn fixtures_come_back_as_promised() {
    let mut tried = 0;
    let exact = rezkit::KINDS.iter().filter(|kind| kind.is_exact);
    for format in exact.map(|kind| kind.format).collect::<std::collections::BTreeSet<_>>() {
        for testkit::Sample { name, bytes } in testkit::fixtures(format) {
            let report = rezkit::roundtrip(&bytes);
            let wanted = wanted(format, &name);
            // A broken file may already be refused because of its first bytes.
            let refused = report.grade == Grade::Unknown && wanted == Grade::Failed;
            assert!(refused || report.grade == wanted, "{format}/{name}: {report:?}, not {wanted}");
            tried += 1;
        }
    }
    assert!(tried > 200, "{tried}");
}

/// The grade of a fixture in the manifest.
fn wanted(format: &str, name: &str) -> Grade {
    let manifest = String::from_utf8(testkit::fixture(format, "manifest.tsv")).expect("UTF-8");
    let entry = manifest.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let entry = entry.into_iter().find(|fields| fields.get(1) == Some(&name));
    let entry = entry.unwrap_or_else(|| panic!("{format}/{name} is not in the manifest"));
    entry[0].parse().expect("a known grade")
}

#[test]
fn nan_equals_itself_and_zero_has_a_sign() {
    let text = |x: &str| {
        let face = format!("[{x},0,0][0,0,1][0,0,0][1,0,0][0,0,1][0,0,0][0,1,0][0,0,1][0,0,0]");
        rezkit::read(format!("version 1.01\n1\n{face}").as_bytes()).expect("a mesh")
    };
    let equal = |a: &str, b: &str| text(a).equals(&*text(b));
    assert!(equal("nan", "nan") && equal("0", "0"));
    assert!(!equal("0", "-0") && !equal("nan", "0"));
}
