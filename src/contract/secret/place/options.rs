//! Which options of which programs carry a password.

/// Which part of an option's value is the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// What stands behind the first such sign; nothing where it does not stand.
    Behind(char),
}

/// A short option that carries a password.
pub(super) struct Short {
    programs: &'static [&'static str],
    /// Letters without a value that may stand before it in the same word.
    flags: &'static str,
    letter: char,
    /// The value never stands in the next word.
    pub(super) attached: bool,
    pub(super) part: Part,
}

const MYSQL: &[&str] = &[
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mysqlimport",
    "mysqlshow",
    "mysqlcheck",
    "mysqlsh",
    "mysqlslap",
    "mysqlpump",
    "mysqlbinlog",
    "mariadb",
    "mariadb-dump",
    "mariadb-admin",
    "mycli",
];
const PSQL: &[&str] = &[
    "psql",
    "pg_dump",
    "pg_dumpall",
    "pg_restore",
    "createdb",
    "dropdb",
    "pgcli",
];
const MONGO: &[&str] = &[
    "mongo",
    "mongosh",
    "mongodump",
    "mongorestore",
    "mongoexport",
    "mongoimport",
    "sshpass",
    "login",
    "twine",
];
const PACKED: &[&str] = &["7z", "7za", "7zr", "7zz", "rar", "unrar"];
const LARGE: &[&str] = &[
    "zip",
    "unzip",
    "sqlcmd",
    "bcp",
    "ipmitool",
    "mosquitto_pub",
    "mosquitto_sub",
];
const LDAP: &[&str] = &[
    "ldapsearch",
    "ldapadd",
    "ldapmodify",
    "ldapdelete",
    "ldappasswd",
    "ldapwhoami",
];
const WEB: &[&str] = &["http", "https", "httpie", "xh", "xhs"];
const CURL: &str = "0123456#aBfgGiIjJklLMnNOpqRsSvVZ";

const SHORT: [Short; 13] = [
    short(&["curl"], CURL, 'u', false, Part::Behind(':')),
    short(&["curl"], CURL, 'U', false, Part::Behind(':')),
    short(&["curl"], CURL, 'E', false, Part::Behind(':')),
    short(&["curl"], CURL, 'b', false, Part::Behind('=')),
    short(MYSQL, "ABCEGHLNXbcfnqrstvw", 'p', true, Part::Whole),
    short(MONGO, "", 'p', false, Part::Whole),
    short(PACKED, "h", 'p', true, Part::Whole),
    short(LARGE, "rqj9", 'P', false, Part::Whole),
    short(LDAP, "xZLvnc", 'w', false, Part::Whole),
    short(WEB, "vhbdFS", 'a', false, Part::Behind(':')),
    short(&["redis-cli"], "", 'a', false, Part::Whole),
    short(
        &["smbclient", "rpcclient", "net"],
        "",
        'U',
        false,
        Part::Behind('%'),
    ),
    short(&["lftp"], "", 'u', false, Part::Behind(',')),
];

/// Long options whose name does not say that they carry a password.
const LONG: [(&[&str], &str, Part); 7] = [
    (&["curl"], "user", Part::Behind(':')),
    (&["curl"], "proxy-user", Part::Behind(':')),
    (&["curl"], "cert", Part::Behind(':')),
    (&["curl"], "cookie", Part::Behind('=')),
    (&["curl"], "oauth2-bearer", Part::Whole),
    (WEB, "auth", Part::Behind(':')),
    (
        &["skopeo", "podman", "buildah", "crane"],
        "creds",
        Part::Behind(':'),
    ),
];

/// Programs that the table knows nothing of, and that end what a program before them has to say.
const OTHERS: [&str; 7] = ["ssh", "scp", "sftp", "rsync", "sudo", "gh", "openssl"];

const fn short(
    programs: &'static [&'static str],
    flags: &'static str,
    letter: char,
    attached: bool,
    part: Part,
) -> Short {
    Short {
        programs,
        flags,
        letter,
        attached,
        part,
    }
}

/// The program that a word names, as the tables call it.
pub(super) fn program(word: &str) -> Option<&'static str> {
    let name = word.rsplit(['/', '"', '\'']).next().unwrap_or(word);
    let shorts = SHORT.iter().flat_map(|one| one.programs);
    let longs = LONG.iter().flat_map(|one| one.0);
    let all = shorts.chain(longs).chain(PSQL).chain(&OTHERS);
    let found = all.copied().find(|one| *one == name)?;
    // The word of a login is no path.
    (found != "login" || word == name).then_some(found)
}

/// The short option of a word, and how many bytes of the word it takes.
pub(super) fn short_of(program: &str, word: &str) -> Option<(&'static Short, usize)> {
    let letters = word
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'))?;
    let mine = || SHORT.iter().filter(|one| one.programs.contains(&program));
    for (at, letter) in letters.char_indices() {
        if let Some(found) = mine().find(|one| one.letter == letter) {
            return Some((found, at + 2));
        }
        if !mine().any(|one| one.flags.contains(letter)) {
            return None;
        }
    }
    None
}

/// The part of a long option's value that is a password, by the table.
pub(super) fn long_of(program: &str, name: &str) -> Option<Part> {
    let mut known = LONG.iter();
    let found = known.find(|(programs, long, _)| *long == name && programs.contains(&program))?;
    Some(found.2)
}

/// Whether a long option's value stands behind `=` only.
pub(super) fn joins(program: &str) -> bool {
    MYSQL.contains(&program) || PSQL.contains(&program)
}
