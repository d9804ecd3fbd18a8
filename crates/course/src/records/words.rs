//! Splits a command into its words, as a shell would, but without expanding anything.

use std::iter::Peekable;
use std::str::Chars;

/// Characters that a shell treats specially outside of quotes, so that a command with them would mean something else here.
const SPECIAL: [char; 14] = ['|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', '{', '\n'];
/// Characters that a shell treats specially at the beginning of a word.
const SPECIAL_FIRST: [char; 2] = ['~', '#'];

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
    match words.first().map_or("", String::as_str) {
        "" => Err(("the command is empty".to_owned(), "write the program and its arguments")),
        program if program.split_once('=').is_some_and(|(name, _)| is_variable(name)) => Err((
            format!("`{program}` sets a variable, which only a shell does"),
            "begin the command with `env`: `env NAME=value program`",
        )),
        _ => Ok(words),
    }
}

/// Returns whether a shell would take this for the name of a variable.
fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Reads one word, which ends before white space.
fn word(rest: &mut Peekable<Chars<'_>>) -> Result<String, (String, &'static str)> {
    if let Some(special) = rest.next_if(|first| SPECIAL_FIRST.contains(first)) {
        return Err(needs_shell(special));
    }
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
