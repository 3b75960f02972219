//! Lists every text that the program and the crates can show, to be read in one go: errors, losses, findings, rules,
//! and the help of the command line. `--draw` picks some of them and some sentences of the documentation at random, by
//! a seed.

use std::collections::BTreeSet;
use std::fs;

use lexopt::{Arg, ValueExt as _};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::{Outcome, root, tidy};

/// Calls and attributes whose texts are never shown to a user.
const UNSEEN: &str = "assert assert_eq assert_ne cfg cfg_attr components deprecated doc_hidden expect expected_panic include_str unreachable";

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let (mut draw, mut seed) = (None::<usize>, 0_u64);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("draw") => draw = Some(args.value()?.parse()?),
            Arg::Long("seed") => seed = args.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    let (mut messages, mut sentences) = (BTreeSet::new(), BTreeSet::new());
    for path in tidy::tracked()? {
        let name = path.to_string_lossy();
        let is_source = name.starts_with("crates/")
            && name.contains("/src/")
            && !name.contains("testkit")
            && !name.contains("/consts");
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        if is_source && name.ends_with(".rs") {
            let mut found = Vec::new();
            texts(text.parse()?, "", &mut found);
            messages.extend(
                found.into_iter().map(|(line, call, text)| format!("{name}:{line:03}\t{call}\t{text}")),
            );
        } else if name == "docs/commands.md" {
            let help =
                text.lines().filter_map(|line| line.strip_prefix("          ").filter(|text| is_prose(text)));
            messages.extend(help.map(|text| format!("{name}\thelp\t{text}")));
        } else if name.ends_with(".md") && !name.ends_with("CHANGELOG.md") && !name.starts_with("fixtures") {
            sentences.extend(self::sentences(&text).map(|sentence| format!("{name}\t{sentence}")));
        }
    }
    for list in [messages, sentences] {
        match draw {
            Some(count) => drawn(list.into_iter().collect(), count, &mut seed),
            None => list.iter().for_each(|line| println!("{line}")),
        }
        if draw.is_none() {
            break;
        }
    }
    Ok(())
}

/// Prints this many of the lines, picked at random with SplitMix64.
fn drawn(mut lines: Vec<String>, count: usize, seed: &mut u64) {
    for _ in 0..count.min(lines.len()) {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let index = (bits ^ (bits >> 31)) % lines.len() as u64;
        let line = lines.swap_remove(index as usize);
        println!("{line}");
        context(&line).unwrap_or_default().iter().for_each(|line| println!("    | {line}"));
    }
}

/// The lines of the source around a message, which show how it is composed.
fn context(message: &str) -> Option<Vec<String>> {
    let (path, line) = message.split('\t').next()?.split_once(':')?;
    let (text, line) = (fs::read_to_string(root().join(path)).ok()?, line.parse::<usize>().ok()?);
    Some(text.lines().skip(line.saturating_sub(4)).take(7).map(str::to_owned).collect())
}

/// Finds the string literals of a source that are prose, each with its line and the function or macro of which it is an
/// argument.
fn texts(stream: TokenStream, call: &str, found: &mut Vec<(usize, String, String)>) {
    let mut name = String::new();
    let mut trees = stream.into_iter();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Ident(word) => name = word.to_string(),
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                match trees.find(|tree| tree.to_string() != "!") {
                    Some(TokenTree::Group(group)) if group.to_string().replace(' ', "") == "[cfg(test)]" => {
                        let is_body = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
                        let _ended = trees.by_ref().find(|tree| is_body(tree) || tree.to_string() == ";");
                    }
                    _ => {}
                }
            }
            TokenTree::Group(group) if !UNSEEN.split(' ').any(|unseen| unseen == name) => {
                let is_call = group.delimiter() == Delimiter::Parenthesis && !name.is_empty();
                texts(group.stream(), if is_call { &name } else { call }, found);
                name.clear();
            }
            TokenTree::Literal(literal) => {
                let line = literal.span().start().line;
                let text = literal.to_string();
                if text.trim_start_matches(['r', '#']).starts_with('"') && is_prose(&text) {
                    found.push((line, call.to_owned(), text.trim_matches('"').replace("\\\n", "")));
                }
            }
            TokenTree::Punct(sign) if "!:".contains(sign.as_char()) => {}
            _ => name.clear(),
        }
    }
}

/// Whether a text contains two adjacent words.
fn is_prose(text: &str) -> bool {
    let words: Vec<&str> = text.split([' ', '\n']).collect();
    let is_word = |word: &str| {
        word.len() > 1 && word.chars().all(|char| char.is_alphabetic() || ",.;:'\"()".contains(char))
    };
    // Names of bones and joints, such as `Left Leg`, are not prose.
    let is_name =
        words.iter().all(|word| word.trim_start_matches(['"', '(']).starts_with(char::is_uppercase));
    !is_name && words.windows(2).any(|pair| pair.iter().all(|word| is_word(word)))
}

/// The sentences of a page, without code and tables.
fn sentences(text: &str) -> impl Iterator<Item = String> {
    let mut code = false;
    let mut prose = String::new();
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        let starts = |with: &[&str]| with.iter().any(|with| line.trim_start().starts_with(with));
        match code || starts(&["|", "#", "```", "![", "<"]) || line.starts_with('[') && line.contains("]: ") {
            true => prose.push('\n'),
            false if starts(&["* ", "- "]) || line.is_empty() => prose = prose + "\n" + line,
            false => prose = prose + " " + line.trim(),
        }
    }
    let of_line = |line: &str| line.replace(". ", ".\n").lines().map(str::to_owned).collect::<Vec<_>>();
    prose.lines().flat_map(of_line).filter(|line| line.split(' ').count() > 4).collect::<Vec<_>>().into_iter()
}
