use proptest::prelude::*;

use super::*;

#[test]
fn paths_are_told_relative_to_what_stays() {
    for (line, expected) in [
        ("at /home/me/p/src/lib.rs now", "at src/lib.rs now"),
        ("at /home/you/x/lib.rs now", "at lib.rs now"),
        ("at /home/you/src/x/src/y/lib.rs now", "at src/y/lib.rs now"),
        ("at /home/me/pq/lib.rs", "at lib.rs"),
        ("in '/home/me/p'", "in '<root>'"),
        ("in /home/me/p/ x", "in <root> x"),
        ("/private/home/me/p/a.c", "a.c"),
        ("in /usr/lib/", "in <path>"),
        ("~/x/y.rs", "y.rs"),
        ("HEAD~/x/y.rs", "HEAD~/x/y.rs"),
        ("x/y~/z C:/x/y cc:\\x\\y", "x/y~/z y cc:\\x\\y"),
        ("C:\\Users\\me\\a.rs:3", "a.rs:<l>"),
        ("z:/x/y 3:/x/y z:/ z:", "y 3:y z:/ z:"),
        ("7:\\x\\y", "7:\\x\\y"),
        ("'%:\\x\\y'", "'%:\\x\\y'"),
        ("(/opt/a.js:1:30)", "(a.js:<l>:<l>)"),
        (
            "src/lib.rs ../x/y ./run.sh a/b",
            "src/lib.rs ../x/y run.sh a/b",
        ),
        ("</div> and / or // ./", "</div> and / or // ./"),
        ("/tmp/abcd", "<tmp>"),
        ("/var/tmp/q and /var/folders/x/T/y", "<tmp> and <tmp>"),
        ("/tmp/a.py", "a.py"),
        ("wrote /x/y.", "wrote y."),
        (
            "/w/node_modules/@scope/pkg/i.js",
            "node_modules/@scope/pkg/i.js",
        ),
        (
            "/v/lib/python3.11/site-packages/a/b.py",
            "site-packages/a/b.py",
        ),
        ("/usr/lib/python3.11/json/a.py", "<toolchain>/json/a.py"),
        (
            "/rustc/59807616e1fa/library/core/src/a.rs:8",
            "<toolchain>/library/core/src/a.rs:<l>",
        ),
        (
            "/h/.cargo/registry/src/x-1/serde-1.0.2/src/a.rs",
            "<toolchain>/serde-<version>/src/a.rs",
        ),
        ("--out=/x/y", "--out=y"),
        ("-/x/y", "-/x/y"),
        ("‘/a/b’", "'b'"),
    ] {
        assert_eq!(mask(line, Some("/home/me/p")), expected, "{line}");
    }
    assert_eq!(mask("/tmp/p/x", Some("/tmp/p")), "x");
    assert_eq!(mask("/home/me/p/src/lib.rs", None), "src/lib.rs");
    assert_eq!(mask("/my dir/x/a.c", Some("/my dir/x")), "a.c");
}

#[test]
fn addresses_on_the_network_lose_user_query_and_ids() {
    for (line, expected) in [
        ("see https://host/a/b.", "see https://host/a/b."),
        ("https://u:p@host:8080/a?q=1#x", "https://host:8080/a"),
        ("http://127.0.0.1:44785/x/", "http://127.0.0.1:<port>/x/"),
        ("http://h/v1/jobs/4000/items", "http://h/v1/jobs/<id>/items"),
        (
            "GET \"http://h/8348ca7a80742723\" no",
            "GET \"http://h/<id>\" no",
        ),
        ("file:///home/me/a.txt", "file:a.txt"),
        ("at unix:///run/docker.sock.", "at unix:docker.sock."),
        ("x://", "x://"),
    ] {
        assert_eq!(mask(line, None), expected, "{line}");
    }
}

#[test]
fn places_are_masked_only_behind_files() {
    for (line, expected) in [
        (" --> src/lib.rs:2:5", "--> src/lib.rs:<l>:<l>"),
        (
            "src/a.ts(18,7): error TS2741",
            "src/a.ts(<l>,<l>): error TS2741",
        ),
        ("A.java:[3,5] no [3,5]", "A.java:[<l>,<l>] no [3,5]"),
        ("f(18,7)", "f(18,7)"),
        ("a.ts(1) b(2)", "a.ts(<l>) b(2)"),
        ("127.0.0.1:80", "127.0.0.1:80"),
        ("key:7", "key:7"),
        ("\"a.b\" x:7", "\"a.b\" x:7"),
        (
            "File \"a.py\", line 12, in f",
            "File \"a.py\", line <l>, in f",
        ),
        ("line 1 column 2 (char 3)", "line <l> column <l> (char <l>)"),
        ("inline 3", "inline 3"),
        ("  1:7  error  x", "<l>:<l> error x"),
        ("  1:7x", "1:7x"),
        ("x 1:7 y", "x 1:7 y"),
    ] {
        assert_eq!(mask(line, None), expected, "{line}");
    }
}

#[test]
fn words_are_kept_as_they_are() {
    let line = "E0308 tests::it_works foo_12 été 'x' —  #3";
    assert_eq!(
        mask(line, None),
        "E0308 tests::it_works foo_12 été 'x' — #3"
    );
    assert_eq!(mask("", None), "");
}

proptest! {
    #[test]
    fn masking_twice_is_masking_once(text in "([a-zA-Z0-9./:~ '\"<>()=_\\[\\]-]|line |pid |/tmp/|https://|0x|\\PC){0,80}") {
        let root = Some("/a");
        let masked = mask(&text, root);
        prop_assert_eq!(mask(&masked, root), masked);
    }
}
