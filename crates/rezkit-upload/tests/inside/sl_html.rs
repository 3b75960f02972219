//! Tests of private items; the source file that they test includes this file as a module.

use super::super::report::ReportPart;
use super::*;

#[test]
fn names_are_text() {
    let name = "<script>alert('&\"')</script>\u{202e}";
    let mut report = Report { name: name.to_owned(), ..Report::default() };
    report.parts.push(ReportPart { name: name.to_owned(), ..ReportPart::default() });
    report.files.push(name.to_owned());
    let page = page(&report, &[("High", name.to_owned(), name.to_owned())]);
    assert!(!page.contains("<script") && !page.contains('\u{202e}') && !page.contains("alert('"));
    assert_eq!(page.matches("&lt;script&gt;alert(&#39;&amp;&quot;&#39;)&lt;/script&gt;\u{fffd}").count(), 6);
}
