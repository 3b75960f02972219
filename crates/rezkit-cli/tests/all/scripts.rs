//! The comments of scripts, in which addresses are no references to assets.

use super::xml::{document, field, item};

/// Luau's reference: comments and strings in long brackets end with as many signs as they begin with, `\z` skips white
/// space and line ends, and an escaped line end does not end a string.
#[test]
fn assets_in_comments_are_no_references() {
    for (source, is_reference) in [
        ("local a = 'ID'", true),
        ("local a = [[ID]]", true),
        ("-- ID", false),
        ("a = 1 - -1 -- ID\n", false),
        ("--[[ a\nID ]]", false),
        ("--[==[ ]] ID ]==]", false),
        ("--[==[ ]==] 'ID'", true),
        ("--[= ID", false),
        ("--[=\n'ID'", true),
        ("a = '--' b = 'ID'", true),
        ("a = 'x\\'--' b = 'ID'", true),
        ("a = 'x\\\\' -- ID", false),
        ("a = [[--]] b = 'ID'", true),
        ("a = [=[ ]] ' ]=] -- ID", false),
        ("a = 'x\\\n--' b = 'ID'", true),
        ("a = 'x\\\r\n--' b = 'ID'", true),
        ("a = 'x\\z\n  --' b = 'ID'", true),
        ("a = 'unclosed\n-- ID", false),
        ("a = `x\n--{b}` b = 'ID'", true),
        ("a[b[1]] = 'ID'", true),
        ("--[[ ID", false),
        ("a = \"ID\\", true),
    ] {
        let source =
            field("ProtectedString", "Source", source.replace("ID", "rbxassetid://7").replace('\r', "&#13;"));
        let opened = crate::open(document(&item("Script", "S", &source, "")), "a.rbxmx");
        assert_eq!(!opened.assets().expect("few").is_empty(), is_reference, "{source}");
    }
}
