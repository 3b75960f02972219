//! One source text with many mutants in it, each with a switch: only text is put in, at the edges of syntax.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A mutant's number and genre, the offset at which it begins, and its text.
pub(super) struct Change<'a> {
    pub(super) number: usize,
    pub(super) genre: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: &'a str,
}

/// A source with switches.
#[derive(Default)]
pub(super) struct Switched {
    pub(super) text: String,
    /// The lines of each mutant's own text, then those of the expression that it is put into.
    pub(super) lines: BTreeMap<usize, [Range<usize>; 2]>,
    /// Mutants that cannot compile.
    pub(super) refused: Vec<usize>,
}

/// What of a source a mutant can change: where it is, and the changed text.
enum Site {
    Body,
    /// A body of which the type is `impl Iterator`.
    Iterator,
    Arm {
        pattern_end: usize,
        /// Where `_` has conditions: the end of the last arm, and what separates another one from it. The compiler
        /// asks for one, which is reached where it would refuse the mutant alone.
        rest: Option<(usize, &'static str)>,
    },
    Binary {
        left: Range<usize>,
        right: Range<usize>,
    },
    Unary {
        operand: Range<usize>,
    },
    /// A condition with `let`, in which nothing but `&&` compiles.
    Chain,
    /// Its text, with the mutant's span replaced.
    Other,
}

#[derive(Default)]
struct Sites<'a> {
    found: BTreeMap<(&'static str, usize), (Range<usize>, Site)>,
    /// `const` before functions that may lose it, since a constant cannot ask the environment.
    consts: Vec<Range<usize>>,
    stay_const: Option<&'a BTreeSet<String>>,
    /// In the value of a constant, but in none of its closures.
    is_constant: bool,
}

impl Sites<'_> {
    fn add(&mut self, genre: &'static str, at: impl Spanned, whole: impl Spanned, site: Site) {
        if !self.is_constant {
            self.found.insert((genre, at.span().byte_range().start), (whole.span().byte_range(), site));
        }
    }

    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if let (Some(first), Some(last)) = (block.stmts.first(), block.stmts.last()) {
            let whole = first.span().byte_range().start..last.span().byte_range().end;
            let is_impl = matches!(&signature.output, syn::ReturnType::Type(_, of) if matches!(**of, syn::Type::ImplTrait(_)));
            self.found
                .insert(("FnValue", whole.start), (whole, if is_impl { Site::Iterator } else { Site::Body }));
        }
    }

    fn constant(&mut self, is_constant: bool, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_constant, is_constant);
        visit(self);
        self.is_constant = before;
    }

    /// Whether what is in the function can have switches.
    fn enters(&mut self, signature: &syn::Signature) -> bool {
        let Some(word) = signature.constness else { return true };
        let stays = self.stay_const.is_some_and(|names| names.contains(&signature.ident.to_string()));
        if !stays {
            self.consts.push(word.span().byte_range());
        }
        !stays
    }
}

fn has_let(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(of) => has_let(&of.left) || has_let(&of.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Sites<'_> {
    fn visit_item_fn(&mut self, of: &'ast syn::ItemFn) {
        if self.enters(&of.sig) {
            self.body(&of.sig, &of.block);
            visit::visit_item_fn(self, of);
        }
    }

    fn visit_impl_item_fn(&mut self, of: &'ast syn::ImplItemFn) {
        if self.enters(&of.sig) {
            self.body(&of.sig, &of.block);
            visit::visit_impl_item_fn(self, of);
        }
    }

    fn visit_trait_item_fn(&mut self, of: &'ast syn::TraitItemFn) {
        of.default.iter().for_each(|block| self.body(&of.sig, block));
        visit::visit_trait_item_fn(self, of);
    }

    fn visit_item_const(&mut self, of: &'ast syn::ItemConst) {
        self.constant(true, |this| visit::visit_item_const(this, of));
    }

    fn visit_impl_item_const(&mut self, of: &'ast syn::ImplItemConst) {
        self.constant(true, |this| visit::visit_impl_item_const(this, of));
    }

    fn visit_item_static(&mut self, of: &'ast syn::ItemStatic) {
        self.constant(true, |this| visit::visit_item_static(this, of));
    }

    fn visit_expr_closure(&mut self, of: &'ast syn::ExprClosure) {
        self.constant(false, |this| visit::visit_expr_closure(this, of));
    }

    fn visit_expr_binary(&mut self, of: &'ast syn::ExprBinary) {
        let sides = [&of.left, &of.right];
        let [left, right] = sides.map(|side| side.span().byte_range());
        let has_let = sides.iter().any(|side| has_let(side));
        let site = if has_let { Site::Chain } else { Site::Binary { left, right } };
        self.add("BinaryOperator", of.op, of, site);
        visit::visit_expr_binary(self, of);
    }

    fn visit_expr_unary(&mut self, of: &'ast syn::ExprUnary) {
        self.add("UnaryOperator", of.op, of, Site::Unary { operand: of.expr.span().byte_range() });
        visit::visit_expr_unary(self, of);
    }

    fn visit_expr_match(&mut self, of: &'ast syn::ExprMatch) {
        let has_rest = of.arms.iter().any(|arm| matches!(arm.pat, syn::Pat::Wild(_)));
        let is_rest = |pattern: &syn::Pat| matches!(pattern, syn::Pat::Guard(of) if matches!(*of.pat, syn::Pat::Wild(_)));
        let has_conditions = of.arms.iter().any(|arm| is_rest(&arm.pat));
        let rest = of.arms.last().filter(|_| !has_rest);
        let rest =
            rest.map(|last| (last.span().byte_range().end, if last.comma.is_some() { "" } else { ", " }));
        for arm in &of.arms {
            match &arm.pat {
                syn::Pat::Guard(of) => self.add("MatchArmGuard", &of.guard, &of.guard, Site::Other),
                pattern if has_rest || has_conditions => {
                    self.add(
                        "MatchArm",
                        arm,
                        arm,
                        Site::Arm { pattern_end: pattern.span().byte_range().end, rest },
                    );
                }
                _ => {}
            }
        }
        visit::visit_expr_match(self, of);
    }

    fn visit_expr_struct(&mut self, of: &'ast syn::ExprStruct) {
        for field in &of.fields {
            self.add("StructField", field, of, Site::Other);
        }
        visit::visit_expr_struct(self, of);
    }
}

/// Text to put in: closing ones before opening ones, and of these the outer ones first.
struct Insertion {
    at: usize,
    /// What the order of those at one offset is.
    order: (bool, i64, u8),
    /// Texts, and the mutant that each belongs to.
    texts: Vec<(Option<usize>, String)>,
    site: Option<usize>,
}

/// The source with a switch for each of the changes; those that are not in its lines have no place for one.
pub(super) fn switched(
    source: &str,
    changes: &[Change<'_>],
    stay_const: &BTreeSet<String>,
) -> syn::Result<Switched> {
    let mut sites = Sites { stay_const: Some(stay_const), ..Sites::default() };
    sites.visit_file(&syn::parse_file(source)?);
    let mut insertions: Vec<Insertion> = Vec::new();
    let mut insert = |at, order, texts, site| insertions.push(Insertion { at, order, texts, site });
    for word in &sites.consts {
        insert(word.start, (true, 0, 0), vec![(None, "/*".to_owned())], None);
        insert(word.end, (false, 0, 0), vec![(None, "*/".to_owned())], None);
    }
    let mut wanted: BTreeMap<(&str, usize), Vec<&Change<'_>>> = BTreeMap::new();
    for change in changes {
        wanted.entry((change.genre, change.start)).or_default().push(change);
    }
    let (mut members, mut refused): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    for (key, (whole, site)) in &sites.found {
        let Some(changes) = wanted.get(key) else { continue };
        if let Site::Chain = site {
            refused.extend(changes.iter().map(|change| change.number));
            continue;
        }
        let on = |change: &Change<'_>| format!("crate::mutant::on({})", change.number);
        let size = i64::try_from(whole.len()).unwrap_or(i64::MAX);
        let id = Some(members.len());
        let texts = changes.iter().map(|change| {
            let text = match site {
                Site::Body => format!("\nif {} {{ return {}; }}\n", on(change), change.text),
                Site::Iterator => {
                    format!("\ncrate::mutant::either({}.then(|| {}), move || {{\n", on(change), change.text)
                }
                Site::Arm { .. } => format!("\nif !{}\n", on(change)),
                Site::Binary { left, right } => {
                    let (left, right) = (&source[left.clone()], &source[right.clone()]);
                    format!("\nif {} {{ ({left}) {} ({right}) }}\nelse ", on(change), change.text)
                }
                Site::Unary { operand } => {
                    format!("\nif {} {{ ({}) }}\nelse ", on(change), &source[operand.clone()])
                }
                Site::Chain | Site::Other => {
                    let (before, after) =
                        (&source[whole.start..change.start], &source[change.end..whole.end]);
                    format!("\nif {} {{ {before}{}{after} }}\nelse ", on(change), change.text)
                }
            };
            (Some(change.number), text)
        });
        match site {
            Site::Body => insert(whole.start, (true, -size, 0), texts.collect(), id),
            Site::Iterator => {
                insert(whole.start, (true, -size, 0), texts.collect(), id);
                insert(whole.end, (false, size, 0), vec![(None, "})".repeat(changes.len()))], id);
            }
            Site::Arm { pattern_end, rest } => {
                insert(*pattern_end, (false, i64::MAX, 0), texts.collect(), id);
                if let Some((end, comma)) = rest {
                    insert(
                        *end,
                        (false, i64::MAX, 1),
                        vec![(None, format!("{comma}_ => unreachable!(), "))],
                        id,
                    );
                }
            }
            _ => {
                let texts = std::iter::once((None, "(".to_owned())).chain(texts);
                let texts = texts.chain([(None, "{".to_owned())]).collect();
                insert(whole.start, (true, -size, 1), texts, id);
                insert(whole.end, (false, size, 0), vec![(None, "})".to_owned())], id);
            }
        }
        members.push(changes.iter().map(|change| change.number).collect());
    }
    insertions.sort_by_key(|of| (of.at, of.order));
    let (mut out, mut last, mut line) = (Switched { refused, ..Switched::default() }, 0, 1);
    let mut begun: BTreeMap<usize, usize> = BTreeMap::new();
    for Insertion { at, texts, site, .. } in &insertions {
        let mut put = |text: &str| {
            out.text.push_str(text);
            let (first, own) =
                (line + usize::from(text.starts_with('\n')), text.trim().trim_end_matches("\nelse"));
            line += text.matches('\n').count();
            first..first + own.matches('\n').count() + 1
        };
        put(&source[last..*at]);
        last = *at;
        for (number, text) in texts {
            let lines = put(text);
            let first = *begun.entry(site.unwrap_or(usize::MAX)).or_insert(lines.start);
            if let Some(number) = number {
                out.lines.insert(*number, [lines.clone(), lines.clone()]);
            }
            for member in site.map_or(&[][..], |site| &members[site]) {
                if let Some([_, whole]) = out.lines.get_mut(member) {
                    *whole = first..lines.end;
                }
            }
        }
    }
    out.text.push_str(&source[last..]);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{BTreeSet, Change, switched};

    /// What a source becomes by the mutants of a genre, each at the first `at`, without line ends.
    fn with(source: &str, genre: &str, at: &str, texts: &[&str]) -> String {
        let start = source.find(at).expect("where it is");
        let end = start + at.len();
        let changes: Vec<Change<'_>> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| Change { number, genre, start, end, text })
            .collect();
        let text = switched(source, &changes, &BTreeSet::new()).expect("a source").text;
        text.split_whitespace().collect::<Vec<_>>().join(" ").replace("crate::mutant::on", "on")
    }

    #[test]
    fn each_genre_becomes_a_branch() {
        let of = |genre, at, texts: &[&str], source: &str, expected: &str| {
            assert_eq!(with(source, genre, at, texts), expected, "{genre}");
        };
        of(
            "FnValue",
            "!a",
            &["true", "false"],
            "const fn f() -> bool { !a }",
            "/*const*/ fn f() -> bool { if on(0) { return true; } if on(1) { return false; } !a }",
        );
        of(
            "BinaryOperator",
            "<",
            &["==", ">"],
            "fn f() { if a as u8 + 1 < b {} }",
            "fn f() { if ( if on(0) { (a as u8 + 1) == (b) } else if on(1) { (a as u8 + 1) > (b) } else {a as u8 + 1 < b}) {} }",
        );
        of(
            "BinaryOperator",
            "+=",
            &["-="],
            "fn f() { *a += 1; }",
            "fn f() { ( if on(0) { (*a) -= (1) } else {*a += 1}); }",
        );
        of(
            "BinaryOperator",
            "&&",
            &["||"],
            "fn f() { if let Some(a) = b && c {} }",
            "fn f() { if let Some(a) = b && c {} }",
        );
        of(
            "UnaryOperator",
            "-",
            &[""],
            "fn f() { -a.abs() }",
            "fn f() { ( if on(0) { (a.abs()) } else {-a.abs()}) }",
        );
        of(
            "MatchArm",
            "0 => b,",
            &[""],
            "fn f() { match a { 0 => b, _ => c } }",
            "fn f() { match a { 0 if !on(0) => b, _ => c } }",
        );
        // Where the compiler counts on no `_`, a mutant may leave a value without an arm.
        of(
            "MatchArm",
            "0 => b,",
            &[""],
            "fn f() { match a { 0 => b, _ if c => d, e => e } }",
            "fn f() { match a { 0 if !on(0) => b, _ if c => d, e => e, _ => unreachable!(), } }",
        );
        of(
            "FnValue",
            "a.iter()",
            &["empty()", "once(0)"],
            "fn f() -> impl Iterator<Item = u8> { a.iter() }",
            "fn f() -> impl Iterator<Item = u8> { crate::mutant::either(on(0).then(|| empty()), move || { \
             crate::mutant::either(on(1).then(|| once(0)), move || { a.iter()})}) }",
        );
        of(
            "UnaryOperator",
            "-",
            &[""],
            "const F: fn() = || -a; const G: i8 = -1;",
            "const F: fn() = || ( if on(0) { (a) } else {-a}); const G: i8 = -1;",
        );
        of(
            "MatchArmGuard",
            "d > 0",
            &["true"],
            "fn f() { match a { d if d > 0 => b, _ => c } }",
            "fn f() { match a { d if ( if on(0) { true } else {d > 0}) => b, _ => c } }",
        );
        of(
            "StructField",
            "a: 1,",
            &[""],
            "fn f() { S { a: 1, ..s } }",
            "fn f() { ( if on(0) { S { ..s } } else {S { a: 1, ..s }}) }",
        );
    }

    /// A mutant inside of another one's expression is in the part that is as it was, and its lines are known.
    #[test]
    fn mutants_inside_of_mutants() {
        let source = "fn f() { a + b * c }";
        let changes = [
            Change { number: 7, genre: "BinaryOperator", start: 11, end: 12, text: "-" },
            Change { number: 8, genre: "BinaryOperator", start: 15, end: 16, text: "/" },
        ];
        let out = switched(source, &changes, &BTreeSet::new()).expect("a source");
        assert_eq!(
            out.text,
            "fn f() { (\nif crate::mutant::on(7) { (a) - (b * c) }\nelse {a + (\nif crate::mutant::on(8) { (b) / (c) }\nelse {b * c})}) }"
        );
        assert_eq!(out.lines[&7], [2..3, 1..6]);
        assert_eq!(out.lines[&8], [4..5, 3..6]);
    }
}
