//! Random texts are read or refused, and never changed. `rbxdocument` tests random documents.

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn any_text_is_an_answer(text in "[<>/&;#=\"' a-zA-Z0-9!?\\[\\]-]{0,60}") {
        let _either = rbxxml::from_str(&text);
        if let Ok(document) = rbxxml::from_str(&format!("<roblox>{text}</roblox>")) {
            prop_assert_eq!(rbxxml::to_string(&document).unwrap(), format!("<roblox>{text}</roblox>"));
        }
    }
}
