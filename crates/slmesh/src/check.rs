pub fn check(_: &crate::Asset) -> Vec<crate::Finding> { let f = crate::finding::Findings::default(); f.into_vec() }
