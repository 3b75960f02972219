//! Suspicious scripts.

use rezkit::Script;

fn found(source: &str) -> Vec<(usize, &'static str)> {
    let script = Script { path: "A".into(), class: "Script".into(), source: source.as_bytes().to_vec() };
    let found = script.suspicious(1 << 20).expect("few");
    found.iter().map(|found| (found.line, found.what)).collect()
}

/// Code of malicious models, each with the expected line and a word of the finding.
#[test]
fn to_look_at() {
    let (long, escaped) = ("QUJD".repeat(60), "\\x01".repeat(20));
    let cases: &[(&str, usize, &str)] = &[
        ("m:PromptBundlePurchase(p, 1)", 1, "buy"),
        ("m:PromptBulkPurchase(p, {}, {})", 1, "buy"),
        ("m:PromptSubscriptionPurchase(p, 's')", 1, "buy"),
        ("m:PromptPremiumPurchase(p)", 1, "buy"),
        ("require(123456)", 1, "by id"),
        ("require\n(\n123456)", 1, "by id"),
        ("require --[[ hidden ]] (0x1E240)", 1, "by id"),
        ("local id = 123456\nrequire(id)", 2, "by id"),
        ("local id: number = 123456\nrequire(id)", 2, "by id"),
        ("require(tonumber('123456'))", 1, "by id"),
        ("require(100000 + 23456)", 1, "by id"),
        ("require(((123456)))", 1, "by id"),
        ("require(string.reverse('654321'))", 1, "by id"),
        ("pcall(require, 123456)", 1, "by id"),
        ("local id = 5\ntask.spawn(require, id)", 2, "by id"),
        ("xpcall(require, print, 7)", 1, "by id"),
        ("xpcall(require, function(e) print(e, 1) end, 7)", 1, "by id"),
        ("local t={require} t[1](5)", 1, "another name"),
        ("local t = {require, print}", 1, "another name"),
        ("local function f() return require end", 1, "another name"),
        ("local load = require\nload(123456)", 1, "another name"),
        ("(require)(123456)", 1, "another name"),
        ("local a, load = print, require\nload(5)", 1, "another name"),
        ("local load = load or require", 1, "another name"),
        ("local t = { print; require }", 1, "another name"),
        ("(function(a, b) b(5) end)(print, require)", 1, "another name"),
        ("require(_G.id or 123456)", 1, "by id"),
        ("require(if _G.x then 5 else 6)", 1, "by id"),
        ("require(({123456})[1])", 1, "by id"),
        ("require(_G.x and script.M or 5)", 1, "by id"),
        ("local t = `{require(123456)}`", 1, "by id"),
        ("game:GetObjects('rbxassetid://123456')", 1, "loads assets"),
        ("game:GetService('InsertService'):LoadAsset(1)", 1, "inserts assets"),
        ("local f = loadstring(text)", 1, "runs a string"),
        ("_G['\\108\\111\\97\\100string'](text)", 1, "runs a string"),
        ("getfenv()[name]()", 1, "environment"),
        ("local h = game:GetService('HttpService')\nh:GetAsync(url)", 2, "fetch data"),
        ("h:PostAsync(url, body)", 1, "sends data"),
        ("string.char(104, 105, 33, 33)", 1, "from character codes"),
        (&format!("local s = '{long}'"), 1, "long string"),
        (&format!("local s = [==[{long}]==]"), 1, "long string"),
        (&format!("local s = '{escaped}'"), 1, "escaped"),
        ("local s = '\\114\\101\\113\\117ire'", 1, "escaped"),
    ];
    for (source, line, word) in cases {
        let found = found(source);
        let has = found.iter().any(|(at, what)| at == line && what.contains(word));
        assert!(has, "{source}: {found:?}");
    }
}

#[test]
fn harmless() {
    for source in [
        "require(script.Parent.Module)",
        "local module = script.Module\nrequire(module)",
        "for _, module in script:GetChildren() do require(module) end",
        "local ok, result = pcall(require, script.Module)",
        "xpcall(require, warn, script.Module)",
        "return require(script.Module)",
        "require(script:WaitForChild('Module', 5))",
        "require(Modules[1])",
        "require(script.Parent['5'])",
        "require(script.Parent:FindFirstChild('A' .. 5))",
        "local module = require(script.A) or require(script.B)",
        "print(require(script.A), require(script.B))",
        "type Loader = { require: (ModuleScript) -> any, other: any }",
        "local function load(require) return nil end",
        "self.require(script.Module)",
        "local f = loader.require",
        "if require == nil then end",
        "local ok = type(require)",
        "return { a = require(script.A), require(script.B) }",
        "require('./sibling')",
        "local require = require(script.Parent.loader).load(script)",
        "-- require(123456)",
        "--[[ require(123456)\nloadstring(x) ]]",
        "--[==[ ]] require(123456) ]==]",
        "print('require(123456)')",
        "print(\"do not use loadstring here\")",
        "print([[require(123456)]])",
        "print(`require(123456) {name}`)",
        "local s = 'a\\'require(123456)'",
        "local myloadstring = 1\nmyloadstring += 1",
        "local options = { require = true, loadstring = false }",
        "store:GetAsync(key)",
        "print('\\27[31mred\\27[0m', '\\u{2014}', '\\n\\t\\0')",
        "local s = 'several words, which are long enough to be a text that somebody reads'",
        "local n = 123456\nrequire(script[n])",
        "print(string.char(65))",
        "local id = 123456\nprint(id)",
        "",
    ] {
        assert_eq!(found(source), [], "{source}");
    }
}

/// An unclosed text or comment ends with the source; the line and the text are those of the first token.
#[test]
fn what_is_broken() {
    for source in [
        "'", "\"\\", "`{", "`{`{`{", "--[[", "[==[", "[==", "}", "\\", "`{}}", "require(", "require", "\u{0}",
    ] {
        assert!(found(source).is_empty(), "{source}");
        found(&source.repeat(1000));
    }
    let source = "local s = 'a\\\nb'\n  require(1) require(2)\nrequire(3)";
    let script = Script { path: "A".into(), class: "Script".into(), source: source.into() };
    let found = script.suspicious(1 << 20).expect("few");
    let shown: Vec<_> = found.iter().map(|found| (found.line, found.text.as_str())).collect();
    assert_eq!(shown, [(3, "require(1) require(2)"), (4, "require(3)")]);
    // Of a long line, the text is the part with the code.
    let long = "\u{e9} = 1;".repeat(30) + " loadstring(x)() -- " + &"a".repeat(200);
    let script = Script { source: long.into_bytes(), ..script };
    let found = script.suspicious(1 << 20).expect("few");
    assert_eq!((found.len(), found[0].column), (1, 182));
    let text = &found[0].text;
    assert!(text.starts_with('…') && text.contains("1; loadstring(x)() -- aaa"), "{text}");
    let script = Script { source: "require(1)\n".repeat(1000).into(), ..script };
    let error = script.suspicious(1 << 15).expect_err("a thousand lines");
    assert_eq!(error.kind(), rezkit::ErrorKind::Limit);
}
