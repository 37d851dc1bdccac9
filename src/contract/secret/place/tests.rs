use proptest::prelude::*;

use super::super::{find, hidden, redact};

/// Each text, and the password in it.
const TOLD: &[(&str, &str)] = &[
    ("curl -u a:hunter -fsS https://x.org", "hunter"),
    ("curl -sSu a:hunter https://x.org", "hunter"),
    ("curl -ua:hunter https://x.org", "hunter"),
    ("/usr/bin/curl --user a:hunter https://x.org", "hunter"),
    ("curl --user=a:hunter https://x.org", "hunter"),
    ("curl -U a:hunter x.org", "hunter"),
    ("curl --proxy-user 'a:hunter two' x.org", "hunter two"),
    ("curl -u \"a:hunter two\" x.org", "hunter two"),
    ("curl -u a:hun\"ter t\"wo x.org", "hun\"ter t\"wo"),
    ("curl -b sid=hunter x.org", "hunter"),
    ("curl --cookie \"sid=hunter\" x.org", "hunter"),
    ("curl -E me.pem:hunter x.org", "hunter"),
    ("curl --cert me.pem:hunter x.org", "hunter"),
    ("curl --oauth2-bearer hunter x.org", "hunter"),
    ("curl --pass hunter x.org", "hunter"),
    ("sh -c \"curl -u a:hunter x.org\"", "hunter"),
    (
        "{\"command\":\"curl -u \\\"a:hunter two\\\" x.org\"}",
        "hunter two",
    ),
    ("cd x && curl -u a:hunter x.org;ls", "hunter"),
    ("mysql -u root -phunter app", "hunter"),
    ("mysql -uroot -p'hunter two' app", "hunter two"),
    ("mysql -uroot -p'$unter' app", "$unter"),
    ("mysqldump -Bphunter app", "hunter"),
    ("docker exec -it db mysql -uroot -phunter", "hunter"),
    ("ssh host mysql -phunter", "hunter"),
    ("mysql --password=hunter app", "hunter"),
    ("mysql --password=\"hunter\"two app", "hunter\"two"),
    ("sh -c \"mysql --password='hunter'\" x", "hunter"),
    ("x --password=hunter\" y", "hunter"),
    ("mysql --password=\"a\\\"b c\" app", "a\\\"b c"),
    ("mysql --password=hun\\ ter app", "hun\\ ter"),
    ("mysql --password='hun'\"ter\" app", "hun'\"ter\""),
    ("x --password hunter y", "hunter"),
    ("x --api-key hunter", "hunter"),
    ("x --db.pass hunter", "hunter"),
    ("keytool -storepass hunter", "hunter"),
    ("sshpass -p hunter ssh -p 22 host", "hunter"),
    ("sshpass -phunter ssh host", "hunter"),
    ("redis-cli -a hunter ping", "hunter"),
    ("mongosh -u a -p hunter", "hunter"),
    ("docker login -u a -p hunter reg.x.org", "hunter"),
    ("twine upload -p hunter dist/x", "hunter"),
    ("7z a -phunter x.7z x", "hunter"),
    ("rar a -hphunter x.rar x", "hunter"),
    ("zip -rP hunter x.zip x", "hunter"),
    ("sqlcmd -S h -P hunter", "hunter"),
    ("ldapsearch -x -D cn=a -w hunter", "hunter"),
    ("ldapsearch -xw hunter", "hunter"),
    ("http -a me:hunter x.org", "hunter"),
    ("http --auth=me:hunter x.org", "hunter"),
    ("smbclient -U me%hunter //h/s", "hunter"),
    ("lftp -u me,hunter x.org", "hunter"),
    ("skopeo copy --creds me:hunter a b", "hunter"),
    ("openssl rsa -passin pass:hunter -in k", "hunter"),
    ("aws configure set aws_secret_access_key hunter", "hunter"),
    ("npm config set //r.x.org/:_authToken hunter", "hunter"),
    ("set -x DB_PASSWORD hunter", "hunter"),
    ("redis-cli config set requirepass hunter", "hunter"),
    ("PGPASSWORD=hunter psql -h db", "hunter"),
    ("export DB_PASS='hunter two'", "hunter two"),
    ("docker run -e MYSQL_PWD=hunter mysql", "hunter"),
    ("x \"Server=h;Uid=sa;Pwd=hunter;Timeout=3\"", "hunter"),
    ("x 'https://h/?token=hunter&page=2'", "hunter"),
    ("echo 'client_secret = hunter' > x", "hunter"),
    ("x --from-literal=apiKey=hunter", "hunter"),
    ("'password' => 'hunter'", "hunter"),
    ("password := \"hunter\"", "hunter"),
    ("token = 'hunter'", "hunter"),
    ("api_token = hunter", "hunter"),
    ("token=hunter", "hunter"),
    (
        "curl -d '{\"user\":\"a\",\"password\":\"hunter\",\"n\":1}' x.org",
        "hunter",
    ),
    (
        "curl -d \"{\\\"password\\\": \\\"hunter\\\"}\" x.org",
        "hunter",
    ),
    ("{'accessKey': 'hunter'}", "hunter"),
    ("db_password: \"hunter\"", "hunter"),
    ("passphrase: hunter2", "hunter2"),
    ("curl -H 'Authorization: Basic aHVudGVy' x.org", "aHVudGVy"),
    ("curl -H \"authorization: bearer hunter\" x.org", "hunter"),
    ("curl -H Authorization:hunter x.org", "hunter"),
    ("http x.org Authorization:\"Token hunter\"", "hunter"),
    ("{\"Proxy-Authorization\": \"Basic hunter\"}", "hunter"),
    ("curl -H 'X-Api-Key: hunter two' x.org", "hunter two"),
    ("curl -HX-Auth-Token:hunter x.org", "hunter"),
    ("curl -H \"PRIVATE-TOKEN: hunter\" x.org", "hunter"),
    ("curl -H 'Cookie: sid=hunter; b=c' x.org", "sid=hunter; b=c"),
    ("git clone https://user:hunter@x.org/a.git", "hunter"),
    ("git clone 'https://user:hun&t@er@x.org/a.git'", "hun&t@er"),
    ("redis-cli -u redis://:hunter@h:6379/0", "hunter"),
    (
        "git clone https://abcdefghijklmno1@x.org/a",
        "abcdefghijklmno1",
    ),
    ("psql -c \"ALTER USER me PASSWORD 'hunter'\"", "hunter"),
    (
        "mysql -e \"create user me identified by 'hunter'\"",
        "hunter",
    ),
    ("echo hunter | sudo -S ls", "hunter"),
    (
        "echo -n 'hunter two' | docker login --password-stdin",
        "hunter two",
    ),
    ("printf me:hunter | chpasswd", "me:hunter"),
    ("x --password=h\u{fc}nter\u{e9} y", "h\u{fc}nter\u{e9}"),
];

/// Ordinary texts that stay as they are.
const PLAIN: &[&str] = &[
    "mysql -u root -p app",
    "mysql -P 3306 -p",
    "mysql --password app",
    "psql --password app",
    "ssh -p 22 -u root host",
    "curl -u me x.org",
    "curl -fsS https://x.org:8080/a@b",
    "curl -b jar.txt -X POST -H 'Accept: a/b' x.org",
    "curl -u \"$USER:$PASS\" x.org",
    "curl -o u:v x.org",
    "sudo -u root ls",
    "docker run -p 80:80 mysql",
    "docker run --name mysql -p 3306:3306 x",
    "gh auth login -p https",
    "sshpass -e ssh -p 22 host",
    "sshpass -f pw make -p 22",
    "gpg --passphrase-file f",
    "docker login --password-stdin",
    "cat pw | docker login --password-stdin",
    "echo hello | grep x",
    "echo hello; sudo -S ls",
    "echo hello | cat; sudo -S ls",
    "echo $PW | sudo -S ls",
    "openssl rsa -passin env:PW -key k",
    "echo pass:12",
    "PGPASSWORD=$PW psql",
    "PGPASSWORD=${PW} psql",
    "PGPASSWORD=\"$(cat f)\" psql",
    "PGPASSWORD=$(cat f) psql",
    "PGPASSWORD= psql",
    "PWD=/home/me make",
    "x --password=*** y",
    "x --password=<password> y",
    "x --password {{pw}} y",
    "x --password --force",
    "x --with-token y",
    "x --max-tokens=10 --forgot-password=true",
    "if password == other: pass",
    "password != other",
    "password = ask()",
    "password = process.env.PW",
    "12 pass: 3, PASS: test_a1, pass=3",
    "unexpected token: 'a1'",
    "Unexpected token = in JSON",
    "Invalid password: please try again.",
    "password: string",
    "curl -H \"Authorization: Bearer $TOKEN\" x.org",
    "curl -H 'Authorization: Bearer' x.org",
    "curl -H \"X-Api-Key: $KEY\" x.org",
    "git commit -m 'refresh-token: handle 401'",
    "git clone ssh://git@x.org/a.git",
    "git clone https://me@x.org/a.git",
    "git clone https://abcdefghijklmno1/a",
    "git clone https://me:$PW@x.org/a",
    "git clone git@x.org:a/b.git",
    "git log --author=a:b --pass",
    "set password",
    "a password is asked for",
    "list by 'name'",
];

#[test]
fn a_password_goes_by_its_place_alone() {
    for (text, password) in TOLD {
        assert_eq!(text.matches(password).count(), 1, "{text}");
        let expected = text.replace(password, "[redacted:password]");
        assert_eq!(redact(text).0, expected, "{text}");
    }
}

#[test]
fn ordinary_texts_stay() {
    for text in PLAIN {
        assert_eq!(redact(text), ((*text).to_owned(), 0), "{text}");
    }
}

#[test]
fn what_is_left_out_is_not_left_out_again() {
    for (text, _) in TOLD {
        let (clean, _) = redact(text);
        assert_eq!(redact(&clean), (clean.clone(), 0), "{text}");
    }
}

#[test]
fn a_known_form_in_the_place_of_a_password_tells_its_kind() {
    let key = concat!("AKIA", "4GH7QZ2MXWVN5RTB");
    for (text, clean) in [
        (
            format!("x --password={key}"),
            "x --password=[redacted:aws_access_key_id]",
        ),
        (
            format!("x --password=a-{key}-b c"),
            "x --password=[redacted:aws_access_key_id] c",
        ),
        (
            format!("x {key} --password=b"),
            "x [redacted:aws_access_key_id] --password=[redacted:password]",
        ),
    ] {
        assert_eq!(redact(&text).0, clean);
    }
}

#[test]
fn a_value_that_is_cut_off_goes_to_the_end_of_its_line() {
    assert_eq!(
        redact("x --password='hunter two\nthree").0,
        "x --password='[redacted:password]\nthree"
    );
    assert_eq!(
        redact("curl -u \"a:hunter tw").0,
        "curl -u \"a:[redacted:password]"
    );
}

#[test]
fn long_hostile_texts_take_linear_time() {
    let begun = std::time::Instant::now();
    for piece in [
        "password=\"",
        "password='a",
        "a:b@c",
        "://a:",
        "://",
        "curl -u \"",
        "authorization: basic ",
        "\"password\":\"",
        "x-api-key: \"",
        "\"x-api-key: ",
        "echo a | sudo -S ",
        "password=\\",
        "password=a\"b ",
        "curl -",
        "mysql -p'",
        "password 'x ",
        "\u{e9}password=\u{e9}",
        "cookie:",
    ] {
        let text = piece.repeat(60_000 / piece.len());
        let _ = hidden(&text);
    }
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

proptest! {
    #[test]
    fn pieces_in_any_order_are_redacted_once(
        drawn in proptest::collection::vec((0usize..26, "[a-z\u{e9}\u{4e16} ]{0,3}"), 0..10)
    ) {
        let pieces = [
            "curl ", "-u ", "mysql ", "-p", "a:b", "password", "=", ":", "\"", "'", "\\", "://", "@", "/",
            "Authorization: ", "Basic ", "X-Api-Key:", " | ", "echo ", "sudo -S", "set ", "by ", "$", "(", "\n", ";",
        ];
        let mut text = String::new();
        for (at, more) in &drawn {
            text.push_str(pieces[*at]);
            text.push_str(more);
        }
        let hits = hidden(&text);
        prop_assert!(hits.windows(2).all(|two| two[0].end <= two[1].start), "{text:?}");
        let (clean, count) = redact(&text);
        prop_assert_eq!(usize::try_from(count).unwrap(), hits.len());
        prop_assert_eq!(find(&clean), []);
    }
}
