//! What is read of texts in the forms of many tools.
#![expect(
    clippy::needless_raw_string_hashes,
    reason = "texts of tools are written in one way, whatever quotes they have"
)]

use crate::contract::signature::Strength::{self, Medium, Strong, Weak};
use crate::rules::signature::sign;

/// A text, how much it says, and its records.
type Case = (&'static str, Strength, &'static str);

const CASES: &[Case] = &[
    (
        "npm ERR! code E404\nnpm ERR!     /root/.npm/_logs/2024-01-01T00_00_00_000Z-debug-0.log",
        Medium,
        "npm|code E404",
    ),
    (
        r##"Traceback (most recent call last):
  File "/srv/app/main.py", line 3, in load
    User(age="x")
pydantic_core._pydantic_core.ValidationError: 1 validation error for User
age
  Input should be a valid integer [type=int_parsing]

FAILED tests/test_a.py::test_b - assert 1 == 2"##,
        Strong,
        "pytest|tests/test_a.py::test_b|assert 1 == 2\nraised|pydantic_core._pydantic_core.ValidationError|app/main.py|load|1 validation error for User age Input should be a valid integer [type=int_parsing]",
    ),
    (
        r##"  ● Console

    console.log sums of what was read

  ● sum › adds

    expect(received).toBe(expected)

    Expected: 3
    Received: 4"##,
        Strong,
        "test|sum › adds|expect(received).toBe(expected) Expected: 3 Received: 4",
    ),
    (
        "FAIL: tests/parse.sh\nPASS: tests/print.sh",
        Strong,
        "test|tests/parse.sh",
    ),
    (
        r##"error[E0277]: the trait bound `Foo: Clone` is not satisfied
  --> crates/a/src/lib.rs:10:5
   |
10 |     bar(x);
   |     --- ^ the trait `Clone` is not implemented for `Foo`
   |     |
   |     required by a bound introduced by this call
   |
note: required by a bound in `bar`
  --> crates/a/src/lib.rs:3:11
   |
3  | fn bar<T: Clone>(t: T) {}
   |           ^^^^^ required by this bound in `bar`

error: aborting due to 1 previous error"##,
        Strong,
        r##"E0277|crates/a/src/lib.rs|the trait bound 'Foo: Clone' is not satisfied|the trait 'Clone' is not implemented for 'Foo'"##,
    ),
    (
        r##"warning: unused variable: `x`
 --> src/main.rs:2:9
  |
2 |     let x = 1;
  |         ^ help: if this is intentional, prefix it with an underscore: `_x`
  |
  = note: `#[warn(unused_variables)]` on by default

error: unneeded `return` statement
 --> src/main.rs:9:5
  |
9 |     return 1;
  |     ^^^^^^^^
  |
  = note: `-D clippy::needless-return` implied by `-D warnings`

error: could not compile `demo` (bin "demo") due to 1 previous error; 1 warning emitted"##,
        Strong,
        r##"src/main.rs|unneeded 'return' statement"##,
    ),
    (
        r##"error: linking with `cc` failed: exit status: 1
  |
  = note:  "cc" "-m64" "/tmp/rustcAbCdEf/symbols.o" "-o" "/w/target/debug/demo"
  = note: /usr/bin/ld: /w/target/debug/deps/demo-0a1b2c3d.o: in function `demo::main':
          /w/src/main.rs:5: undefined reference to `quux_missing'
          collect2: error: ld returned 1 exit status

error: could not compile `demo` (bin "demo") due to 1 previous error"##,
        Strong,
        r##"undefined symbol|quux_missing"##,
    ),
    (
        r##"/usr/bin/ld: /tmp/ccAbCd12.o: in function `main':
a.c:(.text+0x9): undefined reference to `foo'
collect2: error: ld returned 1 exit status"##,
        Strong,
        r##"undefined symbol|foo"##,
    ),
    (
        r##"running 1 test
test tests::fails ... FAILED

failures:

---- tests::fails stdout ----
Error: ParseIntError { kind: InvalidDigit }


failures:
    tests::fails

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"##,
        Strong,
        r##"test|tests::fails
test|tests::fails|Error: ParseIntError { kind: InvalidDigit }"##,
    ),
    (
        r##"test tests::panics - should panic ... FAILED

failures:

---- tests::panics stdout ----
note: test did not panic as expected at src/lib.rs:9:8

failures:
    tests::panics"##,
        Strong,
        r##"test|tests::panics
test|tests::panics|note: test did not panic as expected at src/lib.rs:<l>:<l>"##,
    ),
    (
        r##"error: failed to parse manifest at `/w/one/Cargo.toml`

Caused by:
  TOML parse error at line 8, column 7
    |
  8 | serde =
    |       ^
  invalid string"##,
        Medium,
        r##"failed to parse manifest at 'Cargo.toml'|TOML parse error at line <l>, column <l> invalid string"##,
    ),
    (
        r##"error: no matching package named `serde_jsn` found
location searched: crates.io index
required by package `demo v0.1.0 (/w/one)`"##,
        Medium,
        r##"no matching package named 'serde_jsn' found"##,
    ),
    (
        r##"Traceback (most recent call last):
  File "/w/app.py", line 3, in load
    return json.loads(text)
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
    raise JSONDecodeError("Expecting value", s, err.value) from None
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/w/app.py", line 9, in <module>
    load()
ValueError: bad config"##,
        Strong,
        r##"raised|ValueError|app.py|<module>|bad config
raised|json.decoder.JSONDecodeError|app.py|load|Expecting value: line <l> column <l> (char <l>)"##,
    ),
    (
        r##"======================================================================
FAIL: test_total (test_app.T.test_total)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/w/one/test_app.py", line 7, in test_total
    self.assertEqual(total(), 3)
AssertionError: 4 != 3

----------------------------------------------------------------------
Ran 1 test in 0.001s

FAILED (failures=1)"##,
        Strong,
        r##"raised|AssertionError|test_app.py|test_total|4 != 3
test|test_total (test_app.T.test_total)"##,
    ),
    (
        r##"_____________________________ ERROR collecting test_a.py ______________________________
ImportError while importing test module '/w/one/test_a.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
test_a.py:1: in <module>
    import nope
E   ModuleNotFoundError: No module named 'nope'
=========================== short test summary info ============================
ERROR test_a.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
1 error in 0.05s"##,
        Strong,
        r##"pytest|ERROR collecting test_a.py|ModuleNotFoundError: No module named 'nope'
pytest|test_a.py"##,
    ),
    (
        r##"app.py:1:1: F401 'os' imported but unused
app.py:12:80: E501 line too long (93 > 79 characters)"##,
        Strong,
        r##"E501|app.py|line too long (93 > 79 characters)
F401|app.py|'os' imported but unused"##,
    ),
    (
        r##"************* Module app
app.py:1:0: C0114: Missing module docstring (missing-module-docstring)
app.py:5:11: E0602: Undefined variable 'x' (undefined-variable)

------------------------------------------------------------------
Your code has been rated at 0.00/10"##,
        Strong,
        r##"C0114|app.py|Missing module docstring (missing-module-docstring)
E0602|app.py|Undefined variable 'x' (undefined-variable)"##,
    ),
    (
        r##"F821 Undefined name `undefined_thing`
 --> app.py:1:7
  |
1 | print(undefined_thing)
  |       ^^^^^^^^^^^^^^^
  |

Found 1 error."##,
        Strong,
        r##"F821|app.py|Undefined name 'undefined_thing'"##,
    ),
    (
        r##"  /w/one/app.py:3:5 - error: Argument of type "str" cannot be assigned (reportArgumentType)
1 error, 0 warnings, 0 informations"##,
        Strong,
        r##"app.py|Argument of type "str" cannot be assigned (reportArgumentType)"##,
    ),
    (
        r##"src/a.ts:18:7 - error TS2322: Type 'string' is not assignable to type 'number'.

18   const x: number = "a";
         ~

Found 1 error in src/a.ts:18"##,
        Strong,
        r##"TS2322|src/a.ts|Type 'string' is not assignable to type 'number'."##,
    ),
    (
        r##"Program.cs(5,13): error CS0103: The name 'x' does not exist in the current context [/w/one/App.csproj]"##,
        Strong,
        r##"CS0103|Program.cs|The name 'x' does not exist in the current context"##,
    ),
    (
        r##"A.java:3: error: cannot find symbol
        foo.bar();
        ^
  symbol:   variable foo
  location: class A
1 error"##,
        Strong,
        r##"A.java|cannot find symbol|symbol: variable foo"##,
    ),
    (
        r##"[ERROR] COMPILATION ERROR :
[ERROR] /w/one/src/main/java/A.java:[3,9] cannot find symbol
[ERROR]   symbol:   variable foo
[ERROR]   location: class A
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project demo: Compilation failure
[ERROR] -> [Help 1]"##,
        Strong,
        r##"src/main/java/A.java|cannot find symbol|symbol: variable foo"##,
    ),
    (
        r##"> Task :compileKotlin FAILED
e: file:///w/one/src/main/kotlin/A.kt:3:5 Unresolved reference: foo

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileKotlin'.
> Compilation error. See log for more details"##,
        Strong,
        r##"src/main/kotlin/A.kt|Unresolved reference: foo"##,
    ),
    (
        r##"# example.com/demo
./main.go:5:2: undefined: foo
./main.go:9:7: x declared and not used"##,
        Strong,
        r##"main.go|undefined: foo
main.go|x declared and not used"##,
    ),
    (
        r##"--- FAIL: TestA (0.00s)
    --- FAIL: TestA/sub_case (0.01s)
        a_test.go:12:
            	Error Trace:	/w/one/a_test.go:12
            	Error:      	Not equal:
            	            	expected: 1
            	            	actual  : 2
            	Test:       	TestA/sub_case
FAIL
FAIL	example.com/demo	0.008s"##,
        Strong,
        r##"test|TestA
test|TestA/sub_case
test|a_test.go|Error: Not equal: expected: 1 actual : 2"##,
    ),
    (
        r##"==================
WARNING: DATA RACE
Write at 0x00c0000b4010 by goroutine 8:
  main.inc()
      /w/one/main.go:9 +0x44

Previous write at 0x00c0000b4010 by goroutine 7:
  main.inc()
      /w/one/main.go:9 +0x44
==================
exit status 66"##,
        Strong,
        r##"data race|main.inc main.go|main.inc main.go"##,
    ),
    (
        r##"==4242==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x55 bp 0x7f sp 0x7f
READ of size 4 at 0x602000000014 thread T0
    #0 0x55d0c0 in __interceptor_memcpy (/w/a.out+0x1234)
    #1 0x55d0c1 in copy_it /w/one/a.c:5:10
    #2 0x7f11 in __libc_start_main ../csu/libc-start.c:308

SUMMARY: AddressSanitizer: heap-buffer-overflow /w/one/a.c:5:10 in copy_it"##,
        Strong,
        r##"Address|heap-buffer-overflow|a.c|copy_it"##,
    ),
    (
        r##"a.c:4:7: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'"##,
        Strong,
        r##"a.c|signed integer overflow: <n> + 1 cannot be represented in type 'int'"##,
    ),
    (
        r##" FAIL  src/a.test.ts > sums > adds
AssertionError: expected -1 to be 3 // Object.is equality

- Expected
+ Received

- 3
+ -1

 ❯ src/a.test.ts:5:20
      3|
      4| it('adds', () => {
      5|   expect(sum(1, 2)).toBe(3)

 Test Files  1 failed (1)
      Tests  1 failed (1)
   Duration  312ms"##,
        Strong,
        r##"raised|AssertionError|src/a.test.ts|expected -1 to be 3 // Object.is equality - Expected + Received - 3 + -1
test|src/a.test.ts > sums > adds"##,
    ),
    (
        r##"  0 passing (5ms)
  1 failing

  1) math
       adds:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

-1 !== 3

      + expected - actual

      at Context.<anonymous> (test/a.js:5:10)
      at process.processImmediate (node:internal/timers:476:21)"##,
        Strong,
        r##"raised|AssertionError [ERR_ASSERTION]|test/a.js|Context.<anonymous>|Expected values to be strictly equal: -1 !== 3 + expected - actual
test|math adds"##,
    ),
    (
        r##"TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.2
  location: '/w/one/a.test.js:3:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:

    -1 !== 3

  code: 'ERR_ASSERTION'
  stack: |-
    TestContext.<anonymous> (/w/one/a.test.js:4:10)
  ...
1..1"##,
        Strong,
        r##"test|adds|Expected values to be strictly equal: -1 !== 3 code: 'ERR_ASSERTION'"##,
    ),
    (
        r##"Failures:

  1) Calc adds
     Failure/Error: expect(sum).to eq 3

       expected: 3
            got: -1

       (compared using ==)
     # ./spec/a_spec.rb:5:in `block (2 levels) in <top (required)>'

Finished in 0.01 seconds"##,
        Strong,
        r##"assertion|Failure/Error: expect(sum).to eq 3|expected: 3 got: -1
test|Calc adds"##,
    ),
    (
        r##"app.rb:3:in `f': undefined method `x' for nil:NilClass (NoMethodError)
	from app.rb:6:in `<main>'"##,
        Strong,
        r##"raised|NoMethodError|app.rb|f|undefined method 'x' for nil:NilClass"##,
    ),
    (
        r##"node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module './nope'
Require stack:
- /w/one/app.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at Object.<anonymous> (/w/one/app.js:1:1) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/w/one/app.js' ]
}"##,
        Strong,
        r##"raised|Error|app.js|Object.<anonymous>|Cannot find module './nope' Require stack: - app.js"##,
    ),
    (
        r##"/w/one/app.js:3
const a = ;
          ^

SyntaxError: Unexpected token ';'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
    at Module._compile (node:internal/modules/cjs/loader:1495:20)"##,
        Strong,
        r##"raised|SyntaxError|app.js|Unexpected token ';'"##,
    ),
    (
        r##"npm ERR! code E404
npm ERR! 404 Not Found - GET https://registry.example/left-padd - Not found
npm ERR! 404
npm ERR! A complete log of this run can be found in: /root/.npm/_logs/2026-11-30T10_00_00_000Z-debug-0.log"##,
        Medium,
        r##"npm|404 Not Found - GET https://registry.example/left-padd - Not found
npm|code E404"##,
    ),
    (
        r##"npm error Missing script: "biuld"
npm error
npm error To see a list of scripts, run:
npm error   npm run
npm error A complete log of this run can be found in: /root/.npm/_logs/2026-11-30T10_00_00_000Z-debug-0.log"##,
        Medium,
        r##"npm|Missing script: "biuld""##,
    ),
    (
        r##"ERROR: Could not find a version that satisfies the requirement nope-pkg (from versions: none)
ERROR: No matching distribution found for nope-pkg"##,
        Medium,
        r##"Could not find a version that satisfies the requirement nope-pkg (from versions: none)
No matching distribution found for nope-pkg"##,
    ),
    (
        r##"To /w/one/origin.git
 ! [rejected]        main -> main (fetch first)
error: failed to push some refs to '/w/one/origin.git'
hint: Updates were rejected because the remote contains work that you do"##,
        Strong,
        r##"rejected|main -> main (fetch first)"##,
    ),
    (
        r##"error: Your local changes to the following files would be overwritten by merge:
	f.txt
	g.txt
Please commit your changes or stash them before you merge.
Aborting"##,
        Medium,
        r##"error: Your local changes to the following files would be overwritten by merge:|f.txt g.txt"##,
    ),
    (
        r##"error: pathspec 'nope' did not match any file(s) known to git"##,
        Medium,
        r##"pathspec 'nope' did not match any file(s) known to git"##,
    ),
    (
        r##"patching file a.txt
Hunk #1 FAILED at 3.
1 out of 1 hunk FAILED -- saving rejects to file a.txt.rej"##,
        Strong,
        r##"hunk failed|a.txt"##,
    ),
    (
        r##"./run.sh: line 7: foo: command not found"##,
        Medium,
        r##"run.sh|foo: command not found"##,
    ),
    (
        r##"sh: 1: foo: not found"##,
        Medium,
        r##"sh|foo: not found"##,
    ),
    (
        r##"bash: -c: line 3: syntax error near unexpected token `fi'
bash: -c: line 3: `fi'"##,
        Medium,
        r##"bash|'fi'
bash|syntax error near unexpected token 'fi'"##,
    ),
    (
        r##"Makefile:2: *** missing separator.  Stop."##,
        Medium,
        r##"make|Makefile|missing separator."##,
    ),
    (
        r##"gcc -c a.c
make: *** [Makefile:5: a.o] Error 1"##,
        Medium,
        r##"make|a.o|Error 1"##,
    ),
    (
        r##"psql:q.sql:3: ERROR:  relation "users" does not exist
LINE 1: select * from users;
                      ^"##,
        Strong,
        r##"sql|relation "users" does not exist"##,
    ),
    (
        r##"ERROR 1146 (42S02) at line 1: Table 'd.users' doesn't exist"##,
        Strong,
        r##"sql|error 1146 (42S02)|Table 'd.users' doesn't exist"##,
    ),
    (
        r##"╷
│ Error: Reference to undeclared resource
│ 
│   on main.tf line 3, in resource "aws_instance" "web":
│    3:   ami = aws_ami.nope.id
│ 
│ A managed resource "aws_ami" "nope" has not been declared in the root module.
╵"##,
        Strong,
        r##"terraform|Reference to undeclared resource|main.tf line <l>, in resource "aws_instance" "web"|A managed resource "aws_ami" "nope" has not been declared in the root module."##,
    ),
    (
        r##"Error from server (NotFound): pods "api-7d9f8b6c5d-x2x9z" not found"##,
        Medium,
        r##"Error from server (NotFound): pods "api-<hash>-<id>" not found"##,
    ),
    (
        r##"ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 2"##,
        Medium,
        r##"failed to solve: process "sh -c make" did not complete successfully: exit code: 2"##,
    ),
    (
        r##"Error: connect ECONNREFUSED 127.0.0.1:5432
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16) {
  errno: -111,
  code: 'ECONNREFUSED',
  port: 5432
}"##,
        Strong,
        r##"raised|Error|connect ECONNREFUSED 127.0.0.1:5432"##,
    ),
    (
        r##"usage: app.py [-h] --x X
app.py: error: the following arguments are required: --x"##,
        Medium,
        r##"app.py|the following arguments are required: --x"##,
    ),
    (
        r##"Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.
   at App.Program.Main(String[] args) in /w/one/Program.cs:line 12"##,
        Strong,
        r##"raised|System.NullReferenceException|Program.cs|App.Program.Main|Object reference not set to an instance of an object."##,
    ),
    (
        r##"API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}"##,
        Medium,
        r##"API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_<id>"}"##,
    ),
    (
        r##"In run.sh line 3:
echo $x
     ^-- SC2086 (info): Double quote to prevent globbing and word splitting."##,
        Strong,
        r##"SC2086|run.sh|(info): Double quote to prevent globbing and word splitting."##,
    ),
    (
        r##"a.c: In function 'main':
a.c:3:5: warning: unused variable 'x' [-Wunused-variable]"##,
        Strong,
        r##"a.c|unused variable 'x' [-Wunused-variable]"##,
    ),
    (r##"Command timed out after 2m 0.0s"##, Weak, r##"timeout"##),
    (
        r##"something odd happened in phase 3
Exit code 7"##,
        Weak,
        r##"something odd happened in phase 3"##,
    ),
    (
        r##"./a.out: error while loading shared libraries: libfoo.so.1: cannot open shared object file: No such file or directory"##,
        Strong,
        r##"library not loaded|libfoo.so.1: cannot open shared object file: No such file or directory"##,
    ),
    (
        r##"PHP Fatal error:  Uncaught TypeError: f(): Argument #1 must be of type int, string given, called in /w/one/a.php on line 5 and defined in /w/one/a.php:3"##,
        Strong,
        r##"fatal|Uncaught TypeError: f(): Argument #1 must be of type int, string given, called in a.php on line <l> and defined in a.php:<l>"##,
    ),
    (
        r##"lib/a.ex:3: error: undefined function foo/0"##,
        Strong,
        r##"lib/a.ex|undefined function foo/0"##,
    ),
    (
        r##"ssh: connect to host 10.0.0.7 port 22: Connection timed out"##,
        Medium,
        r##"ssh|connect to host 10.0.0.7 port 22: Connection timed out"##,
    ),
    (
        r##"Host key verification failed.
fatal: Could not read from remote repository."##,
        Medium,
        r##"Host key verification failed."##,
    ),
    (
        r##"fatal: unable to access 'https://github.com/acme/x.git/': Could not resolve host: github.com"##,
        Medium,
        r##"fatal|unable to access 'https://github.com/acme/x.git/': Could not resolve host: github.com"##,
    ),
    (
        r##"error: src refspec nope does not match any
error: failed to push some refs to 'origin'"##,
        Medium,
        r##"src refspec nope does not match any"##,
    ),
    (
        r##"thread 'main' panicked at 'called `Option::unwrap()` on a `None` value', src/main.rs:4:10
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"##,
        Strong,
        r##"panic|main|src/main.rs|called 'Option::unwrap()' on a 'None' value"##,
    ),
    (
        r##"[2026-11-30 10:00:00,512] ERROR app: cannot open config"##,
        Medium,
        r##"app: cannot open config"##,
    ),
    (
        r##"Error: Cannot find module '@acme/x' or its corresponding type declarations."##,
        Medium,
        r##"Cannot find module '@acme/x' or its corresponding type declarations."##,
    ),
    (
        r##"vite v5.0.0 building for production...
x Build failed in 312ms
error during build:
[vite]: Rollup failed to resolve import "nope" from "/w/one/src/main.ts"."##,
        Medium,
        r##"during build:|[vite]: Rollup failed to resolve import "nope" from "src/main.ts"."##,
    ),
    (
        r##"ninja: build stopped: subcommand failed.
FAILED: a.o
/w/one/a.c:3:5: error: use of undeclared identifier 'x'
1 error generated."##,
        Strong,
        r##"a.c|use of undeclared identifier 'x'"##,
    ),
    (
        r##"FAILURE: Build failed with an exception.

* Try:
> Run with --scan to get full insights."##,
        Medium,
        r##"* Try:
FAILURE: Build failed with an exception."##,
    ),
    (
        r##"> Task :app:compileJava FAILED"##,
        Medium,
        r##"> Task :app:compileJava FAILED"##,
    ),
    (
        r##"[ERROR] a.b.C is broken
[ERROR] Unknown lifecycle phase: x"##,
        Medium,
        r##"maven|Unknown lifecycle phase: x
maven|a.b.C is broken"##,
    ),
    (
        r##"[ERROR] ATest.adds:12 expected:<1> but was:<2>"##,
        Strong,
        r##"ATest.adds|expected:<1> but was:<2>"##,
    ),
    (
        r##"thread 'main' panicked at 'boom', src/main.rs:2:5
stack backtrace:
   0: std::panicking::begin_panic
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/std/src/panicking.rs:1
   1: demo::main
             at ./src/main.rs:2:5
note: run with `RUST_BACKTRACE=full`"##,
        Strong,
        r##"panic|main|src/main.rs|boom"##,
    ),
    (
        r##"╷
│ Error: Unsupported argument
│ 
│   on main.tf line 3, in resource "a" "b":
│    3:   foo = 1
│ 
│ An argument named "foo" is not expected here.
│ Did you mean "fob"?
╵"##,
        Strong,
        r##"terraform|Unsupported argument|main.tf line <l>, in resource "a" "b"|An argument named "foo" is not expected here."##,
    ),
    (
        r##"ORA-00942: table or view does not exist"##,
        Strong,
        r##"sql|ORA-00942: table or view does not exist"##,
    ),
    (
        r##"Parse error near line 1: no such table: t"##,
        Strong,
        r##"sql|Parse error near line <l>: no such table: t"##,
    ),
    (
        r##"Error: x
TypeError: y"##,
        Strong,
        r##"raised|TypeError|y"##,
    ),
    (
        r##"bash: line 1: 31918 Killed                  ./run.sh"##,
        Medium,
        r##"Killed|run.sh"##,
    ),
    (
        r##"worker: the run Aborted by hand"##,
        Weak,
        r##"worker: the run Aborted by hand"##,
    ),
    (r##"worker: Killed"##, Weak, r##"worker: Killed"##),
    (
        r##"error: it did not work

Caused by:
    no such thing

Caused by:
    at all"##,
        Medium,
        r##"it did not work|no such thing at all"##,
    ),
    (
        r##"error: these are wrong:
  a
  b"##,
        Medium,
        r##"these are wrong:|a b"##,
    ),
    (
        r##"expected: 1
     got: 2
"##,
        Strong,
        r##"assertion|expected: 1|got: 2"##,
    ),
    (
        r##"--- FAIL: TestSum (0.00s)
    sum_test.go:12: not what was wanted
        got: 2
        want: 3
FAIL"##,
        Strong,
        r##"test|TestSum
test|sum_test.go|not what was wanted got: 2 want: 3"##,
    ),
    (
        r##"=== RUN   TestSum/one
        sum_test.go:12: no
            got: 2"##,
        Strong,
        r##"test|sum_test.go|no got: 2"##,
    ),
    (
        r##"   sum_test.go:12: no
        got: 2"##,
        Strong,
        r##"sum_test.go|no"##,
    ),
    (
        r##"    sum.py:12: no
        got: 2"##,
        Weak,
        r##"got: 2
sum.py:<l>: no"##,
    ),
    (
        r##"thread 'main' panicked at src/main.rs:2:5:
boom
 and more
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"##,
        Strong,
        r##"panic|main|src/main.rs|boom and more"##,
    ),
    (
        r##"thread 'main' panicked at src/main.rs:2:5:
boom
 and more
stack backtrace:
   0: rust_begin_unwind
   1: demo::main"##,
        Strong,
        r##"panic|main|src/main.rs|boom and more"##,
    ),
    (
        r##"thread 'main' panicked at src/main.rs:2:5:
boom
 and more

more that is said"##,
        Strong,
        r##"panic|main|src/main.rs|boom and more"##,
    ),
];

#[test]
fn many_tools_are_read() {
    for (text, strength, records) in CASES {
        let signed = sign(text, Some(1), Some("/w/one"));
        assert_eq!(
            (signed.strength, signed.canonical.as_str()),
            (*strength, *records),
            "{text}"
        );
    }
}
