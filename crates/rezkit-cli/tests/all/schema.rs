//! The JSON that commands print is as `docs/output.schema.json` says.

use serde_json::Value;

use super::run::{Folder, ROOT};

/// Checks a value by the keywords that the schema uses; the error is the place and the reason.
fn check(value: &Value, schema: &Value, all: &Value, at: &str) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{at}: {what}: {value}"));
    for (keyword, given) in schema.as_object().expect("a schema") {
        let is_type = |kind: &Value| match kind.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("null") => value.is_null(),
            other => panic!("the type {other:?}"),
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        match keyword.as_str() {
            "description" | "$schema" | "$defs" | "title" => {}
            "$ref" => {
                let path = given.as_str().and_then(|path| path.strip_prefix('#')).expect("a reference");
                check(value, all.pointer(path).expect(path), all, at)?;
            }
            "anyOf" => {
                let each: Vec<_> =
                    given.as_array().expect("schemas").iter().map(|one| check(value, one, all, at)).collect();
                if each.iter().all(Result::is_err) {
                    return wrong(&format!("none of {each:?}"));
                }
            }
            "type" => {
                let is_one =
                    given.as_array().map_or_else(|| is_type(given), |kinds| kinds.iter().any(is_type));
                if !is_one {
                    return wrong(&format!("expected {given}"));
                }
            }
            "enum" if !given.as_array().expect("values").contains(value) => {
                return wrong("not one of the values");
            }
            "enum" => {}
            "required" => {
                for name in given.as_array().expect("names") {
                    if value.get(name.as_str().expect("a name")).is_none() {
                        return wrong(&format!("no {name}"));
                    }
                }
            }
            "properties" => {
                for (name, of) in properties.expect("properties") {
                    value.get(name).map_or(Ok(()), |value| check(value, of, all, &format!("{at}/{name}")))?;
                }
            }
            "additionalProperties" => {
                let own = |name: &String| properties.is_some_and(|known| known.contains_key(name));
                for (name, value) in value.as_object().into_iter().flatten().filter(|(name, _)| !own(name)) {
                    match given {
                        Value::Bool(false) => return Err(format!("{at}: not known: {name}")),
                        schema => check(value, schema, all, &format!("{at}/{name}"))?,
                    }
                }
            }
            "items" => {
                value.as_array().into_iter().flatten().try_for_each(|item| check(item, given, all, at))?;
            }
            other => panic!("the keyword {other}"),
        }
    }
    Ok(())
}

#[test]
fn json_is_as_the_schema_says() {
    let schema = std::fs::read(format!("{ROOT}/docs/output.schema.json")).expect("the schema");
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    let read = |file: &str| std::fs::read(format!("{ROOT}/{file}")).expect("a file");
    let (cottage, types) = (read("docs/pictures/cottage.rbxmx"), read("fixtures/rbxbinary/types.rbxm"));
    let folder = Folder::new(&[
        ("a.rbxmx", &cottage),
        ("t.rbxm", &types),
        ("l.llsd", b"{'a':[i1,'x',!],'b':{'c':r2}}"),
        ("m.llsd", b"{'a':[i2,'x',!],'b':{'c':r3},'d':i1}"),
        ("n.llsd", b"{'a':[i3,'x',!],'b':{'c':r2}}"),
    ]);
    folder.ok("set a.rbxmx Cottage/Door.Transparency 0.5 -o b.rbxmx");
    folder.ok("rename b.rbxmx Cottage/Ground Floor");
    folder.ok("move b.rbxmx Cottage/Door -o c.rbxmx");
    folder.ok("insert l.llsd l.llsd copy -o k.llsd");
    folder.ok("add c.rbxmx Folder Cottage");
    for (line, definition) in [
        ("tree --json a.rbxmx", "tree"),
        ("tree --json t.rbxm", "tree"),
        ("tree --json l.llsd", "tree"),
        ("find --json --get Size,Name,Nothing a.rbxmx Part", "found"),
        ("find --json --grep Door a.rbxmx", "found"),
        ("diff --json a.rbxmx b.rbxmx", "change"),
        ("diff --json l.llsd m.llsd", "change"),
        ("diff --json a.rbxmx c.rbxmx", "change"),
        ("get --json a.rbxmx Cottage/Door.Size", "typed"),
        ("get --json l.llsd a", "typed"),
        ("merge --json l.llsd m.llsd n.llsd -o o.llsd", "conflict"),
    ] {
        let ran = folder.run(line);
        assert!(!ran.out.is_empty(), "{line}: {}", ran.err);
        for printed in ran.out.lines() {
            let value: Value = serde_json::from_slice(printed.as_bytes()).expect(printed);
            let of = schema.pointer(&format!("/$defs/{definition}")).expect("a definition");
            check(&value, of, &schema, line).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
