//! The lexer by itself.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::super::tests::shell;
use super::super::tree::{Body, Part, Script, Stage, Word};
use super::*;

/// A script as text: commands in order, with what they hold.
fn told(script: &Script) -> String {
    let items: Vec<String> = script
        .items
        .iter()
        .map(|item| {
            let stages: Vec<String> = item.stages.iter().map(stage).collect();
            stages.join(" | ")
        })
        .collect();
    items.join(" ; ")
}

fn stage(stage: &Stage) -> String {
    let mut text = match &stage.body {
        Body::Simple { assigns, words } => {
            let mut all: Vec<String> = assigns
                .iter()
                .map(|assign| {
                    let values: Vec<String> = assign.values.iter().map(word).collect();
                    format!("{}={}", assign.name, values.join(","))
                })
                .collect();
            all.extend(words.iter().map(word));
            all.join(" ")
        }
        Body::Group { script, .. } => format!("({})", told(script)),
        Body::For {
            name,
            words,
            script,
        } => {
            let words: Vec<String> = words.iter().map(word).collect();
            format!("for {name} in {} ({})", words.join(" "), told(script))
        }
        Body::Function { name, script } => format!("{name}(){}", told(script)),
    };
    for redirect in &stage.redirects {
        let body = redirect.document.as_ref().and_then(|cell| cell.get());
        let target = word(body.unwrap_or(&redirect.target));
        write!(text, " {:?}:{target}", redirect.way).unwrap();
    }
    text
}

fn word(word: &Word) -> String {
    let parts: Vec<String> = word
        .parts
        .iter()
        .map(|part| match part {
            Part::Text { text, quoted: true } => format!("'{text}'"),
            Part::Text { text, .. } => text.clone(),
            Part::Var { name, .. } => format!("${name}"),
            Part::Sub { script, .. } => format!("$({})", told(script)),
            Part::Process { script, .. } => format!("<({})", told(script)),
        })
        .collect();
    parts.concat()
}

fn read(text: &str) -> String {
    let parsed = parse(text, 0, 0);
    assert_eq!(parsed.fault, None, "{text}");
    told(&parsed.script)
}

#[test]
fn scripts_are_read_as_a_shell_reads_them() {
    for (text, want) in [
        ("", ""),
        ("a b\tc", "a b c"),
        ("a;b\nc&d&&e||f", "a ; b ; c ; d ; e ; f"),
        ("a | b |& c", "a | b | c"),
        ("a 'b c' \"d e\" f\\ g", "a 'b c' 'd e' f' 'g"),
        ("a # b\nc#d", "a ; c#d"),
        ("r\"\"m", "r''m"),
        ("$'\\x72\\x6d' a", "'rm' a"),
        ("$'\\u0061\\142\\n'", "'ab\n'"),
        ("a\\\nb", "ab"),
        ("X=1 Y=(a b) c", "X=1 Y=a,b c"),
        ("(a; b) | c", "(a ; b) | c"),
        ("{ a; b; }", "(a ; b)"),
        (
            "if a; then b; elif c; then d; else e; fi",
            "(a ; b ; c ; d ; e)",
        ),
        ("while a; do b; done | c", "(a ; b) | c"),
        ("for i in a b; do c $i; done", "for i in a b (c $i)"),
        (
            "for ((i=0;i<3;i++)); do a; done",
            "for  in $ (a)".replace("$ ", "'i=0;i<3;i++' ").as_str(),
        ),
        ("case $x in a|b) c ;; *) d;; esac", "(c ; d)"),
        ("f() { a; }; f", "f()(a) ; f"),
        ("function f { a; }", "f()(a)"),
        ("[[ a < b && c ]] && d", "() ; d"),
        ("((x = 1)); a", "() ; a"),
        ("! a", "a"),
        ("time -p a", "a"),
        ("a $(b; c) `d`", "a $(b ; c) $(d)"),
        ("a \"$(b \"c\")\"", "a $(b 'c')"),
        ("`a \\`b\\``", "$(a $(b))"),
        ("a <(b) >(c)", "a <(b) <(c)"),
        ("a $((1+2)) ${b:-c} ${#d}", "a $ $b $"),
        ("a $(( (1+2) * 3 )) b", "a $ b"),
        ("a $(((1+2)*(3))) b", "a $ b"),
        ("a $((b); c) d", "a $((b) ; c) d"),
        ("a $( (b) ) c", "a $((b)) c"),
        ("(( (x) )); a", "() ; a"),
        ("((b); c); d", "((b) ; c) ; d"),
        ("a @(b|c) d", "a @(b|c) d"),
        ("a > b 2>&1 >> c < d", "a Write:b Copy:1 Append:c Read:d"),
        ("a &> b 2> c <<< d", "a Write:b WriteAside:c Text:d"),
        ("cat <<E; b\nx $y\nE\nc", "cat Document:'x '$y'\n' ; b ; c"),
        ("cat <<'E'\nx $y\nE\n", "cat Document:'x $y\n'"),
        ("cat <<-E\n\tx\n\tE\nb", "cat Document:'x\n' ; b"),
        (
            "cat <<A <<B\n1\nA\n2\nB\nc",
            "cat Document:'1\n' Document:'2\n' ; c",
        ),
        (
            "a \"$(cat <<E\nx ) y\nE\n)\"",
            "a $(cat Document:'x ) y\n')",
        ),
        ("declare -a x=(a b)", "declare -a x= a b"),
        ("a\r\nb\r\n", "a ; b"),
    ] {
        assert_eq!(read(text), want, "{text:?}");
    }
}

#[test]
fn what_is_not_read_to_its_end_is_told() {
    for (text, want) in [
        ("a 'b", Fault::Broken),
        ("a \"b", Fault::Broken),
        ("a $(b", Fault::Broken),
        ("a `b", Fault::Broken),
        ("a ${b", Fault::Broken),
        ("if a; then b", Fault::Broken),
        ("for x in a; do b", Fault::Broken),
        ("a )", Fault::Broken),
        ("fi", Fault::Broken),
        ("a > ", Fault::Broken),
        ("case x in a) b", Fault::Broken),
        ("[[ a", Fault::Broken),
    ] {
        assert_eq!(parse(text, 0, 0).fault, Some(want), "{text}");
    }
    let many = "a;".repeat(MOST + 1);
    assert_eq!(parse(&many, 0, 0).fault, Some(Fault::Large));
    assert_eq!(parse(&"a;".repeat(MOST), 0, 0).fault, None);
    assert_eq!(parse(&"a;".repeat(MOST - 1), 0, 0).fault, None);
    assert_eq!(parse(&"a ".repeat(LONGEST / 2), 0, 0).fault, None);
    assert_eq!(
        parse(&"a".repeat(LONGEST + 1), 0, 0).fault,
        Some(Fault::Large)
    );
    let nested = |depth: usize| format!("{}a{}", "$(".repeat(depth), ")".repeat(depth));
    assert_eq!(parse(&nested(DEEPEST), 0, 0).fault, None);
    assert_eq!(parse(&nested(DEEPEST + 1), 0, 0).fault, Some(Fault::Deep));
}

#[test]
fn what_stands_before_a_fault_is_read() {
    assert_eq!(told(&parse("a; b; c 'd", 0, 0).script), "a ; b ; c 'd'");
    assert_eq!(told(&parse("a ) b", 0, 0).script), "a ; b");
    assert_eq!(told(&parse("done; a", 0, 0).script), "a");
}

#[test]
fn the_corners_of_the_language_are_read_too() {
    for (text, want) in [
        ("a \\\r\nb", "a b"),
        ("\\\r\na", "a"),
        ("time -- a", "a"),
        ("a \\\n> b", "a Write:b"),
        ("a \\\n2> b", "a WriteAside:b"),
        (
            "a <<E && [[ b\nx ]]; c\nE\n]]",
            "a Document:'x ]]; c\n' ; ()",
        ),
        ("+=x a", "+=x a"),
        ("x[1]=a", "x=a"),
        ("x[1]+=a", "x=a"),
        ("$#", "$"),
        ("$?a", "$a"),
        ("\"$'x'\"", "'$'x''"),
        ("\"$\"x\"\"", "'$'x''"),
        ("$\"a\"", "'a'"),
        ("\"$\"", "'$'"),
        ("`a\\\"b`", "$(a'\"'b)"),
        ("$(( (a) ))", "$"),
        ("$(((a)))", "$"),
        ("${#}", "$#"),
        ("${@}", "$@"),
        ("${a:}", "$a"),
        ("$'\\t'", "'\t'"),
        ("$'\\r'", "'\r'"),
        ("$'\\a'", "'\u{7}'"),
        ("$'\\b'", "'\u{8}'"),
        ("$'\\e\\E'", "'\u{1b}\u{1b}'"),
        ("$'\\f'", "'\u{c}'"),
        ("$'\\v'", "'\u{b}'"),
        ("$'\\8'", "'\\8'"),
        ("$'\\u00411'", "'A1'"),
        ("$'\\U00000041'", "'A'"),
        ("$'\\cA'", "'\u{1}'"),
        ("$'\\ca'", "'\u{1}'"),
        ("$'\\\\'", "'\\'"),
        ("$'\\''", "'''"),
        ("$'\\z'", "'\\z'"),
        ("a &>> b", "a Append:b"),
        ("a <<$E\nb\n$E\nc", "a Document:'b\n' ; c"),
        ("a <<$\"E\"\n$b\nE\nc", "a Document:'$b\n' ; c"),
        ("&>> a", " Append:a"),
        ("\"a\\\nb\"", "'ab'"),
        (
            "a <<E\n\\\"b\\$c\\`d\\\\e\\\nf\nE",
            "a Document:'\\\"b$c`d\\ef\n'",
        ),
        ("a\rb", "a\rb"),
        ("\"é$b\"", "'é'$b"),
    ] {
        assert_eq!(read(text), want, "{text:?}");
    }
    for (text, want) in [
        ("a b (c)", "a b ; (c)"),
        ("x=1 f() a", "x=1 f ; () ; a"),
        ("\"`a\\\"b`\"", "$(a'b')"),
        ("`a)`", "$(a)"),
        ("fi(a)", "(a)"),
        ("done(a;b)", "(a ; b)"),
        ("$((a'b))", "$((a'b))'))"),
        ("@(a\n)", "@a"),
        ("@(a$b)", "@a$b"),
    ] {
        let parsed = parse(text, 0, 0);
        assert_eq!(parsed.fault, Some(Fault::Broken), "{text:?}");
        assert_eq!(told(&parsed.script), want, "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic_and_twice_the_same(text in shell()) {
        let first = parse(&text, 0, 0);
        let second = parse(&text, 0, 0);
        prop_assert_eq!(first.fault, second.fault);
        prop_assert_eq!(first.nodes, second.nodes);
        prop_assert_eq!(told(&first.script), told(&second.script));
        prop_assert!(first.nodes <= MOST + 1);
    }

    #[test]
    fn quoting_a_text_makes_it_data(text in "[^'\u{f8f0}-\u{f8f4}]{0,40}") {
        prop_assert_eq!(read(&format!("echo '{text}'")), format!("echo '{text}'"));
    }
}
