//! The report as a page.

use std::fmt::Write as _;

use super::report::{Cost, Report};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#222}\
table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{padding:.25rem .75rem;border-bottom:1px solid #ddd;text-align:left}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}figure{display:inline-block;margin:0 .75rem .75rem 0}\
img{width:15rem;height:15rem;border-radius:.4rem}figcaption{color:#555}.error{color:#b00020}.warning{color:#8a5a00}h1,h2{line-height:1.2}";

/// A text escaped for HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            // Marks that reorder the text after them.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
                safe.push('\u{fffd}')
            }
            char if char.is_control() => safe.push(' '),
            char => safe.push(char),
        }
    }
    safe
}

fn cost(cost: &Cost) -> String {
    let physics = cost
        .physics
        .map_or_else(|| "unknown (only Second Life computes it)".to_owned(), |cost| format!("{cost:.2}"));
    format!(
        "<td class=n>{:.2}</td><td class=n>{physics}</td><td class=n>{:.2}</td><td class=n><b>{:.2}</b></td>",
        cost.streaming, cost.server, cost.total
    )
}

/// The report as a page without scripts. `pictures`: titles, paths of images below the page's folder, and the text below
/// each.
pub(super) fn page(report: &Report, pictures: &[(&str, String, String)]) -> String {
    let name = escaped(&report.name);
    let mut page = format!(
        "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
        <title>{name}</title><style>{STYLE}</style>\n<h1>{name}</h1>\n<p>Land impact \
        <b>{}</b> at the scale {}; {} object{}.</p>\n",
        escaped(&report.land_impact.text()),
        report.scale,
        report.parts.len(),
        if report.parts.len() == 1 { "" } else { "s" }
    );
    for (title, path, below) in pictures {
        let _ = writeln!(
            page,
            "<figure><img src=\"{}\" alt=\"{title}\"><figcaption><b>{title}</b> {}</figcaption></figure>",
            escaped(path),
            escaped(below)
        );
    }
    page += "\n<h2>Objects</h2>\n<table><tr><th>Object<th>Size in m<th class=n>High<th class=n>Medium<th class=n>Low\
        <th class=n>Lowest<th class=n>Hulls<th class=n>Download<th class=n>Physics<th class=n>Server<th class=n>Land impact\n";
    for part in &report.parts {
        let [x, y, z] = part.size.map(|side| side * f64::from(report.scale));
        let _ = write!(page, "<tr><td>{}<td>{x:.3} × {y:.3} × {z:.3}", escaped(&part.name));
        for level in &part.levels {
            let _ = write!(page, "<td class=n>{} / {}", level.triangles, level.vertices);
            if level.from > 0.0 {
                let _ = write!(page, "<br>from {:.1} m", level.from);
            }
        }
        let _ = write!(page, "<td class=n>{} / {}", part.hulls, part.hull_points);
        page += &cost(&part.land_impact);
        page.push('\n');
    }
    let _ = writeln!(page, "<tr><th>All<td><td><td><td><td><td>{}", cost(&report.land_impact));
    page += "</table>\n<p>High to Lowest: number of triangles / vertices of the level of detail, and the distance from which the \
        viewer shows it (at its level of detail factor 1). Hulls: \
        number of hulls / points of all hulls. Land impact: the greatest of the costs download, physics and \
        server.</p>\n";
    if !report.curve.is_empty() {
        page += "<h2>Cost of levels and hulls</h2>\n<table><tr><th>What<th>How coarse<th class=n>Cost\n";
        for tried in &report.curve {
            let (what, setting) = (tried.what, escaped(&tried.setting));
            let _ = writeln!(page, "<tr><td>{what}<td>{setting}<td class=n>{:.3}", tried.cost);
        }
        page += "</table>\n";
    }
    if !report.findings.is_empty() {
        page += "<h2>Findings</h2>\n<table>\
            <tr><th><th>Where<th>Found<th>Allowed<th>Remedy\n";
        for advice in &report.findings {
            let finding = &advice.finding;
            let severity = finding.severity.as_str();
            let allowed = finding.limit.map(|limit| limit.allowed.to_string()).unwrap_or_default();
            let _ = writeln!(
                page,
                "<tr><td class={severity}>{severity}<td>{}<td>{}<br><small>{}</small><td class=n>{allowed}<td>{}",
                escaped(&finding.path),
                escaped(&finding.found),
                escaped(finding.demands),
                escaped(advice.remedy)
            );
        }
        page += "</table>\n";
    }
    if !report.losses.is_empty() {
        page += "<h2>What rezkit dropped, changed, filled in or did not find</h2>\n<ul>\n";
        for loss in &report.losses {
            let _ = writeln!(page, "<li>{}: {}", loss.kind.label(), escaped(&loss.to_string()));
        }
        page += "</ul>\n";
    }
    page += "<h2>Files</h2>\n<ul>\n";
    for file in &report.files {
        let _ = writeln!(page, "<li>{}", escaped(file));
    }
    page + "</ul>\n</html>\n"
}

#[cfg(test)]
#[path = "../../tests/inside/sl_html.rs"]
mod tests;
