//! Reads the lines of a sheet.

use std::collections::{BTreeMap, BTreeSet};

use super::evaluate::{Problem, Quantity};
use super::expression::{Expression, Literal, Node, Origin, is_reserved};
use super::figure;
use super::parser::Parser;
use super::sheet::{Choice, Declaration, Domain, Form, Kind, Pin, Preset, Sheet, Sweep};
use super::token::tokens;
use super::{MAX_LINE, MAX_LINES, MAX_SHEET_NODES};
use infralens_source::diag::{Diagnostic, codes, similar};
use infralens_source::source::{Source, Span, lines_from};

/// Reads a sheet. `body` is a byte range of the file that consists of whole lines. A line with an error is left out.
pub fn parse(source: &Source, body: Span, form: Form) -> (Sheet, Vec<Diagnostic>) {
    let mut reader = Reader {
        source,
        form,
        sheet: Sheet::default(),
        nodes: 0,
        names: BTreeMap::new(),
        diagnostics: Vec::new(),
        unread: BTreeSet::new(),
    };
    let mut later = Vec::new();
    for (index, (start, whole)) in lines_from(&source.text()[body.clone()], body.start).enumerate() {
        let text = whole.trim_end_matches(['\n', '\r']);
        let line = start..start + text.len();
        if index == MAX_LINES {
            let message = format!("there are more than {MAX_LINES} lines of values");
            reader.report(&Problem::new(codes::E0601, line, message));
            break;
        }
        let read = if text.len() > MAX_LINE {
            Err(Problem::new(codes::E0601, line, format!("this line has more than {MAX_LINE} bytes")))
        } else if text.trim_start().starts_with(['@', '~']) {
            later.push(line);
            Ok(())
        } else {
            reader.declaration(&line)
        };
        if let Err(problem) = read {
            reader.report(&problem);
            reader.unread.insert(text.split('=').next().unwrap_or_default().trim());
        }
    }
    // They name inputs and results that may be declared below them.
    for line in later {
        let start = line.end - source.text()[line.clone()].trim_start().len();
        let is_preset = source.text()[start..].starts_with('@');
        let read = if is_preset { reader.preset(start..line.end) } else { reader.sweep(start..line.end) };
        // A name that is missing because its line has an error is not reported a second time.
        if let Err(problem) = read
            && !(problem.code.id == codes::E0602.id && reader.unread.contains(reader.text(problem.span.clone())))
        {
            reader.report(&problem);
        }
    }
    reader.sheet.is_whole = reader.diagnostics.is_empty();
    reader.sheet.declarations.shrink_to_fit();
    (reader.sheet, reader.diagnostics)
}

type Read<T> = Result<T, Problem>;

/// Says how a line begins whose `=` is not where it should be: the name may have a hyphen or a space.
fn name_help(line: &str) -> String {
    match line.split_once('=') {
        Some((name, formula)) if !name.contains('#') => {
            let name: String = name.trim().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
            format!("a name has letters, digits and `_`: write `{name} = {}`", formula.trim())
        }
        _ => "write `name = formula`, or `#` before words".to_owned(),
    }
}

struct Reader<'a> {
    source: &'a Source,
    form: Form,
    sheet: Sheet,
    nodes: usize,
    /// Where each name is declared: its place in the sheet.
    names: BTreeMap<String, usize>,
    diagnostics: Vec<Diagnostic>,
    /// The names before the `=` of lines with an error.
    unread: BTreeSet<&'a str>,
}

impl<'a> Reader<'a> {
    fn report(&mut self, problem: &Problem) {
        self.diagnostics.push(problem.diagnostic(self.source));
    }

    fn text(&self, span: Span) -> &'a str {
        &self.source.text()[span]
    }

    fn declaration(&mut self, line: &Span) -> Read<()> {
        let (tokens, comment) = tokens(self.text(line.clone()), line.start)?;
        let comment = comment.map_or(line.end..line.end, |at| line.start + at + 1..line.end);
        let Some(first) = tokens.first() else { return Ok(()) };
        let mut parser = Parser::new(&tokens, first.span.start);
        let (name, name_span) = parser.name("a line `name = formula`; the name")?;
        parser.expect("=").map_err(|problem| problem.help(name_help(self.text(line.clone()))))?;
        let result = parser.expression();
        self.nodes += parser.nodes;
        let expression = result?;
        parser.finish()?;
        if self.nodes > MAX_SHEET_NODES {
            let message = format!("all formulas together have more than {MAX_SHEET_NODES} operands and operators");
            return Err(Problem::new(codes::E0601, expression.span, message));
        }
        self.check_name(name, &name_span)?;
        let (words, pin) = self.pin(comment);
        let (words, kind) = self.kind(words, &expression)?;
        let span = first.span.start..expression.span.end;
        let comment = self.text(words).trim().to_owned();
        self.names.insert(name.to_owned(), self.sheet.declarations.len());
        let (name, line) = (name.to_owned(), line.clone());
        self.sheet.declarations.push(Declaration { name, name_span, kind, expression, comment, pin, span, line });
        Ok(())
    }

    fn check_name(&mut self, name: &str, span: &Span) -> Read<()> {
        if is_reserved(name) {
            let problem = Problem::new(codes::E0608, span.clone(), format!("`{name}` has a meaning in formulas"));
            return Err(problem.help("choose another name: units and functions cannot be declared"));
        }
        let Some(first) = self.declared(name) else { return Ok(()) };
        let line = self.source.line(first.span.start) + 1;
        let problem = Problem::new(codes::E0608, span.clone(), format!("`{name}` is declared twice"));
        Err(problem.help(format!("rename one of them, or delete it; the first is in line {line}")))
    }

    fn declared(&self, name: &str) -> Option<&Declaration> {
        self.names.get(name).and_then(|at| self.sheet.declarations.get(*at))
    }

    /// Separates the pin, which begins with the last `=` that stands by itself, from the words of a comment.
    fn pin(&mut self, comment: Span) -> (Span, Option<Pin>) {
        let text = self.text(comment.clone());
        let by_itself = |at: &usize| {
            let (before, after) = (&text[..*at], &text[at + 1..]);
            (before.is_empty() || before.ends_with(char::is_whitespace))
                && (after.is_empty() || after.starts_with(char::is_whitespace))
        };
        let Some(at) = text.match_indices('=').map(|(at, _)| at).rfind(by_itself) else { return (comment, None) };
        let after = &text[at + 1..];
        let start = comment.start + at + 1 + (after.len() - after.trim_start().len());
        let span = if after.trim().is_empty() {
            comment.start + at + 1..comment.start + at + 1
        } else {
            start..start + after.trim().len()
        };
        let text = after.trim().to_owned();
        let figure = figure::read(&text);
        if figure.is_none() && !text.is_empty() {
            let problem = Problem::new(codes::E0606, span.clone(), format!("`{text}` is not how a value is printed"));
            let help = "a pin is a number with its unit, as in `# = 1.25 GiB`; words may follow. If the comment is only a \
                        remark, write `=` in it without spaces";
            self.report(&problem.help(help));
        }
        (comment.start..comment.start + at, Some(Pin { text, span, figure }))
    }

    /// Decides what kind of value an expression is, and separates the domain from the words of its comment.
    fn kind(&mut self, words: Span, expression: &Expression) -> Read<(Span, Kind)> {
        let text = self.text(words.clone());
        let is_record =
            matches!(&expression.node, Node::Path(name, path) if name.origin == Origin::Record && path.is_empty());
        let Some(literal) = expression.literal() else {
            self.report_idle_domain(&words, "only a number can be an input: write the formula in another line");
            return Ok((words, if is_record { Kind::Record } else { Kind::Result }));
        };
        let open = text.rfind('[').filter(|_| self.form == Form::Calculator && text.trim_end().ends_with(']'));
        let Some(open) = open else {
            self.report_idle_domain(&words, "write it at the end of the comment");
            return Ok((words, Kind::Constant));
        };
        let inside = words.start + open..words.start + text.trim_end().len();
        let domain = self.domain(inside.clone(), literal)?;
        if !domain.contains(literal.quantity.value) {
            self.report(&outside(expression.span.clone(), self.text(expression.span.clone()), self.text(inside)));
        }
        Ok((words.start..words.start + open, Kind::Input(domain)))
    }

    /// Reports a range or choices in a comment that does not make its value an input.
    fn report_idle_domain(&mut self, words: &Span, help: &str) {
        let text = self.text(words.clone());
        let is_number =
            |part: &str| part.trim_start().trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        let found = text.match_indices('[').find_map(|(open, _)| {
            let inside = text[open + 1..].split(']').next().filter(|inside| inside.len() < text.len() - open - 1)?;
            let parts = |between| inside.contains(between) && inside.split(between).all(is_number);
            (parts("..") || parts("|")).then(|| words.start + open..words.start + open + inside.len() + 2)
        });
        let Some(found) = found else { return };
        let help = if self.form == Form::Comment { "only a `calc` fence has inputs" } else { help };
        self.report(&Problem::new(codes::E0601, found, "this range has no effect").help(help));
    }

    fn domain(&self, span: Span, default: &Literal) -> Read<Domain> {
        let (tokens, _) = tokens(self.text(span.clone()), span.start)?;
        let mut parser = Parser::new(&tokens, span.start);
        parser.expect("[")?;
        let first = self.choice(&mut parser, default)?;
        let domain = if parser.take("..") {
            let second = self.choice(&mut parser, default)?;
            if first.quantity.value > second.quantity.value {
                let problem = Problem::new(codes::E0607, span, "this range ends before it begins");
                return Err(problem.help("write the smaller number first"));
            }
            Domain::Range(first, second)
        } else {
            let mut choices = vec![first];
            while parser.take("|") {
                choices.push(self.choice(&mut parser, default)?);
            }
            Domain::Choice(choices)
        };
        parser.expect("]").and_then(|()| parser.finish()).map_err(|problem| {
            problem.help("write a range, as in `[1 .. 200]`, or choices, as in `[1 B | 2 B | 4 B]`")
        })?;
        Ok(domain)
    }

    /// Reads a number of a domain or of a preset; one without a unit has that of the default.
    fn choice(&self, parser: &mut Parser<'_>, default: &Literal) -> Read<Choice> {
        let (Literal { quantity, unit, decimals }, span) = parser.number()?;
        let text = self.text(span.clone()).to_owned();
        if unit.name.is_empty() {
            let value = default.unit.to_base(quantity.value);
            return Ok(Choice { text, quantity: Quantity { value, dimension: default.unit.dimension }, decimals });
        }
        if quantity.dimension != default.quantity.dimension {
            let (has, needs) = (quantity.dimension.describe(), default.quantity.dimension.describe());
            let problem = Problem::new(codes::E0604, span, format!("this has {has}, but its input has {needs}"));
            return Err(problem.help("give both the same kind of unit"));
        }
        Ok(Choice { text, quantity, decimals })
    }

    fn preset(&mut self, line: Span) -> Read<()> {
        let form = "a preset has the form `@ NAME: input = 1, other = 2`, or `@ GROUP / NAME: …`";
        let text = self.text(line.clone());
        let problem = |span: Span, message: &str| Problem::new(codes::E0601, span, message).help(form);
        if self.form == Form::Comment {
            return Err(problem(line, "only a `calc` fence has presets"));
        }
        let Some(colon) = text.find(':') else { return Err(problem(line, "this preset has no `:` after its name")) };
        let name = text[1..colon].trim();
        let (group, name) = match name.split_once(" / ") {
            Some((group, name)) => (Some(group.trim().to_owned()), name.trim().to_owned()),
            None => (None, name.to_owned()),
        };
        let (tokens, comment) = tokens(&text[colon + 1..], line.start + colon + 1)?;
        if name.is_empty() || name.starts_with("/ ") || name.ends_with(" /") || tokens.is_empty() {
            return Err(problem(line, "this preset has no name or sets no input"));
        }
        if self.sheet.presets.iter().any(|preset| preset.name == name && preset.group == group) {
            return Err(Problem::new(codes::E0608, line, format!("the preset `{name}` is declared twice"))
                .help("rename one of them"));
        }
        let end = comment.map_or(line.end, |at| line.start + colon + 1 + at);
        let mut parser = Parser::new(&tokens, line.start + colon + 1);
        let mut values: Vec<(String, Quantity)> = Vec::new();
        loop {
            let (input, span) = parser.name("the name of an input").map_err(|problem| problem.help(form))?;
            let (default, domain) = self.input(input, &span)?;
            parser.expect("=").map_err(|problem| problem.help(form))?;
            let from = parser.start();
            let value = self.choice(&mut parser, &default)?;
            if !domain.contains(value.quantity.value) {
                self.report(&outside(from..from + value.text.len(), &value.text, &domain.to_string()));
            }
            if values.iter().any(|(set, _)| set == input) {
                return Err(Problem::new(codes::E0608, span, format!("this preset sets `{input}` twice"))
                    .help("delete one of the two"));
            }
            values.push((input.to_owned(), value.quantity));
            if !parser.take(",") {
                break;
            }
        }
        parser.finish().map_err(|problem| problem.help(form))?;
        self.sheet.presets.push(Preset { group, name, values, span: line.start..end });
        Ok(())
    }

    /// Returns the default and the domain of an input of this sheet.
    fn input(&self, name: &str, span: &Span) -> Read<(Literal, Domain)> {
        if let Some(Declaration { kind: Kind::Input(domain), expression, .. }) = self.declared(name)
            && let Some(literal) = expression.literal()
        {
            return Ok((literal.clone(), domain.clone()));
        }
        let problem = Problem::new(codes::E0602, span.clone(), format!("`{name}` is not an input of this calculator"));
        let inputs = self.sheet.declarations.iter().filter(|one| matches!(one.kind, Kind::Input(_)));
        Err(match similar(name, inputs.map(|one| one.name.as_str())) {
            Some(near) if near.name != name => {
                problem.help(format!("did you mean `{}`?", near.name)).near(name, Some(near))
            }
            _ => {
                problem.help("an input is a number with a range or choices in its comment, as in `n = 8  # [1 .. 64]`")
            }
        })
    }

    fn sweep(&mut self, line: Span) -> Read<()> {
        let form = "a chart has the form `~ RESULT over INPUT`";
        if self.form == Form::Comment || self.sheet.sweep.is_some() {
            return Err(Problem::new(codes::E0601, line, "only a `calc` fence has a chart, and only one").help(form));
        }
        let (tokens, _) = tokens(self.text(line.clone()), line.start)?;
        let mut parser = Parser::new(&tokens, line.start);
        let read = parser.expect("~").and_then(|()| {
            let result = parser.name("the name of a result")?;
            let over = parser.name("`over`")?;
            let input = parser.name("the name of an input")?;
            parser.finish()?;
            if over.0 == "over" {
                Ok((result, input))
            } else {
                Err(Problem::new(codes::E0601, over.1, "`over` is expected here"))
            }
        });
        let ((result, at), (input, over)) = read.map_err(|problem| problem.help(form))?;
        if !self.declared(result).is_some_and(|declared| matches!(declared.kind, Kind::Result)) {
            let problem = Problem::new(codes::E0602, at, format!("`{result}` is not a result of this calculator"));
            return Err(problem.help("name a value that this fence computes"));
        }
        if let (_, Domain::Choice(_)) = self.input(input, &over)? {
            let problem =
                Problem::new(codes::E0601, over, format!("`{input}` has no range along which a chart could be drawn"));
            return Err(problem.help("give it a range, as in `[1 .. 200]`"));
        }
        self.sheet.sweep = Some(Sweep { result: result.to_owned(), input: input.to_owned(), span: line });
        Ok(())
    }
}

fn outside(span: Span, value: &str, domain: &str) -> Problem {
    Problem::new(codes::E0607, span, format!("`{value}` is outside `{domain}`"))
        .help("change the number, or widen the range")
}
