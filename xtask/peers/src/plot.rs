//! A plot per format: a bar per way, longer is faster, on a logarithmic scale.

use std::fmt::Write as _;

use crate::measure::{Outcome, Whose};

const LEFT: f64 = 400.0;
const WIDTH: f64 = 520.0;
const ROW: f64 = 15.0;

pub fn bars(outcomes: &[&Outcome]) -> String {
    let rates = |outcome: &Outcome| -> Vec<f64> {
        outcome.figures.iter().map(|figures| outcome.bytes as f64 / 1e6 / figures.median()).collect()
    };
    let all: Vec<f64> = outcomes.iter().flat_map(|outcome| rates(outcome)).collect();
    let low = all.iter().copied().fold(f64::MAX, f64::min).log10().floor();
    let high = all.iter().copied().fold(1.0, f64::max).log10().ceil().max(low + 1.0);
    let x = |rate: f64| LEFT + (rate.log10() - low) / (high - low) * WIDTH;

    let rows: usize = outcomes.iter().map(|outcome| outcome.figures.len()).sum();
    let height = 34.0 + rows as f64 * ROW + outcomes.len() as f64 * 8.0 + 10.0;
    let total = LEFT + WIDTH + 70.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total}\" height=\"{height}\" viewBox=\"0 0 {total} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let mut power = low;
    while power <= high {
        let at = x(10_f64.powf(power));
        let label = 10_f64.powf(power);
        let _infallible = writeln!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"22\" x2=\"{at:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"15\" text-anchor=\"middle\" fill=\"#555\">{label} MB/s</text>",
            height - 6.0
        );
        power += 1.0;
    }
    let mut y = 30.0;
    for outcome in outcomes {
        for (row, (figures, rate)) in outcome.figures.iter().zip(rates(outcome)).enumerate() {
            let color = match figures.whose {
                Whose::Ours => "#1f77b4",
                Whose::Peer => "#ff9f4a",
                Whose::Yardstick => "#bbbbbb",
            };
            let what = if row == 0 { escape(&outcome.what) } else { String::new() };
            let _infallible = writeln!(
                svg,
                "<text x=\"6\" y=\"{text:.1}\" font-weight=\"bold\">{what}</text>\
                 <text x=\"{label:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{name}</text>\
                 <rect x=\"{LEFT}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{thick}\" fill=\"{color}\"/>\
                 <text x=\"{end:.1}\" y=\"{text:.1}\">{rate:.0}</text>",
                text = y + ROW - 4.0,
                label = LEFT - 6.0,
                name = escape(figures.name),
                top = y + 2.0,
                width = (x(rate) - LEFT).max(1.0),
                thick = ROW - 3.0,
                end = x(rate) + 4.0,
            );
            y += ROW;
        }
        y += 8.0;
    }
    svg + "</svg>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
