//! Splits a command into its words, as a shell would, but without expanding anything.

use std::iter::Peekable;
use std::str::Chars;

/// Characters that a shell treats specially outside of quotes, so that a command with them would mean something else here.
const SPECIAL: [char; 12] = ['|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '\n'];

/// Splits a command into the program and its arguments. Spaces separate them; single quotes, double quotes and backslashes
/// work as in a shell.
///
/// # Errors
///
/// Returns what is wrong, and help.
pub fn split(command: &str) -> Result<Vec<String>, (String, &'static str)> {
    let mut words = Vec::new();
    let mut rest = command.chars().peekable();
    loop {
        while rest.next_if(|found| found.is_whitespace()).is_some() {}
        if rest.peek().is_none() {
            break;
        }
        words.push(word(&mut rest)?);
    }
    match words.first() {
        None => Err(("the command is empty".to_owned(), "write the program and its arguments")),
        Some(program) if program.contains('=') => Err((
            format!("`{program}` sets a variable, which only a shell does"),
            "begin the command with `env`: `env NAME=value program`",
        )),
        Some(_) => Ok(words),
    }
}

/// Reads one word, which ends before white space.
fn word(rest: &mut Peekable<Chars<'_>>) -> Result<String, (String, &'static str)> {
    let mut word = String::new();
    while let Some(found) = rest.next_if(|found| !found.is_whitespace()) {
        match found {
            '\'' => loop {
                match rest.next().ok_or_else(|| unclosed('\''))? {
                    '\'' => break,
                    inside => word.push(inside),
                }
            },
            '"' => loop {
                match rest.next().ok_or_else(|| unclosed('"'))? {
                    '"' => break,
                    '\\' if rest.peek().is_some_and(|next| matches!(next, '"' | '\\' | '$' | '`')) => {
                        word.extend(rest.next());
                    }
                    special @ ('$' | '`') => return Err(needs_shell(special)),
                    inside => word.push(inside),
                }
            },
            '\\' => word.push(
                rest.next()
                    .ok_or_else(|| ("the command ends in a backslash".to_owned(), "write `\\\\` for a backslash"))?,
            ),
            special if SPECIAL.contains(&special) => return Err(needs_shell(special)),
            plain => word.push(plain),
        }
    }
    Ok(word)
}

fn unclosed(quote: char) -> (String, &'static str) {
    (format!("a quote `{quote}` is not closed"), "close it, or write a backslash before it")
}

fn needs_shell(special: char) -> (String, &'static str) {
    let help =
        "commands run without a shell: put it in single quotes if it belongs to an argument, or let a script do this";
    (format!("`{special}` has a meaning only in a shell"), help)
}
