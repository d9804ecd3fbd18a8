//! The state machine that runs a syntax line by line.
//!
//! From the start of a line until nothing matches, it finds the first position where a pattern of the current context
//! matches, with the patterns of prototypes first; gives the match its scopes; and enters or leaves contexts. The rules,
//! including the order in which scopes are added and removed, are those of Sublime Text as implemented by syntect.

use super::Token;
use super::class::{Class, INHERIT};
use super::grammar::{Clear, Context, grammar};
use super::groups::Groups;
use super::pattern::{Matcher, Operation, Pattern, Position};
use super::scopes::{Scopes, TokenWriter};
use onig::Region;
use std::collections::HashMap;

/// The maximum number of nested contexts.
const DEPTH: usize = 100;

/// The syntax cannot continue: it refers to a context that does not exist, leaves its last one, or makes no progress.
#[derive(Debug)]
pub struct Stuck;

/// The state between two lines of a file.
#[derive(Debug)]
pub struct Parser {
    stack: Vec<StackEntry>,
    /// Heights of the stack at which a prototype's pattern has entered a context. Only prototypes above the last of these
    /// heights are searched.
    floors: Vec<usize>,
    scopes: Scopes,
    /// The groups of the last match.
    region: Region,
    /// Matchers of patterns that refer to groups, by their source with the captured texts.
    referring: HashMap<String, Matcher>,
}

/// A context that has been entered.
#[derive(Debug)]
struct StackEntry {
    context: &'static Context,
    /// Contexts whose patterns come first in this context and in those entered from it.
    prototypes: Vec<&'static Context>,
    groups: Option<Groups>,
}

/// A context whose patterns are searched.
struct ActiveContext {
    context: &'static Context,
    groups: Option<Groups>,
    is_prototype: bool,
}

/// A line, and where the search in it begins.
struct Search<'a> {
    line: &'a str,
    /// For each position, the ASCII characters there and after it.
    after: &'a [u128],
    from: usize,
    /// Whether an empty match has just entered the current context here, so that it must not be left at once.
    just_entered: bool,
}

struct Match {
    pattern: &'static Pattern,
    start: usize,
    end: usize,
    by_prototype: bool,
    would_loop: bool,
}

impl Parser {
    /// Begins a file in the context `entry`.
    pub fn new(entry: u32) -> Option<Self> {
        let context = grammar().context(entry)?;
        let mut scopes = Scopes::default();
        scopes.push(context.within.first().copied().unwrap_or(INHERIT));
        let level = StackEntry { context, prototypes: Vec::new(), groups: None };
        let (region, referring) = (Region::with_capacity(8), HashMap::new());
        Some(Self { stack: vec![level], floors: Vec::new(), scopes, region, referring })
    }

    /// Parses a line, which ends in `\n`, and adds its tokens. Returns the class of what continues on the next line.
    pub fn line(&mut self, line: &str, tokens: &mut Vec<Token>) -> Result<Class, Stuck> {
        let after = ascii_after(line);
        let mut writer = TokenWriter::new(line.strip_suffix('\n').unwrap_or(line), tokens);
        let (mut from, mut entered) = (0, (0, 0));
        // Steps without progress are rare. More steps than these mean that the syntax is in a loop.
        for _ in 0..64 + 16 * line.len() {
            while self.floors.last().is_some_and(|&floor| floor >= self.stack.len()) {
                self.floors.pop();
            }
            let just_entered = entered == (from, self.stack.len());
            let Some(found) = self.find(&Search { line, after: &after, from, just_entered }) else {
                writer.finish(&self.scopes);
                return Ok(self.scopes.class(""));
            };
            if found.would_loop {
                from = (from + 1..line.len()).find(|&at| line.is_char_boundary(at)).unwrap_or(line.len() + 1);
                continue;
            }
            if found.end <= from && matches!(found.pattern.operation, Operation::Push(_)) {
                entered = (found.end, self.stack.len() + 1);
            }
            from = found.end;
            if found.by_prototype {
                self.floors.push(self.stack.len());
            }
            self.apply(line, &found, &mut writer)?;
        }
        Err(Stuck)
    }

    /// Finds the first match. If several patterns match at the same position, the first one wins.
    fn find(&mut self, search: &Search) -> Option<Match> {
        let chain = self.chain()?;
        let mut idle = Vec::new();
        (search.from..=search.line.len())
            .filter(|&at| search.line.is_char_boundary(at))
            .find_map(|at| self.find_at(search, &chain, at, &mut idle))
    }

    /// Returns the contexts whose patterns are searched, in order.
    fn chain(&self) -> Option<Vec<ActiveContext>> {
        let level = self.stack.last()?;
        let floor = self.floors.last().copied().unwrap_or(0);
        let mut chain = Vec::with_capacity(4);
        for level in self.stack.get(floor..).unwrap_or_default() {
            let link = |&context| ActiveContext { context, groups: level.groups.clone(), is_prototype: true };
            chain.extend(level.prototypes.iter().map(link));
        }
        let own = grammar().context(level.context.prototype);
        chain.extend(own.map(|context| ActiveContext { context, groups: None, is_prototype: false }));
        chain.push(ActiveContext { context: level.context, groups: level.groups.clone(), is_prototype: false });
        Some(chain)
    }

    /// Finds the first pattern that matches at a position. A pattern that would only leave the context that was just entered
    /// is used only if there is no other. A pattern with an empty match that has no effect is `idle` for the rest of the
    /// search.
    fn find_at(
        &mut self,
        search: &Search,
        chain: &[ActiveContext],
        at: usize,
        idle: &mut Vec<&'static Pattern>,
    ) -> Option<Match> {
        let bytes = search.line.as_bytes();
        let (place, after) = (Position::of(bytes, at), search.after.get(at).copied().unwrap_or_default());
        let before = at.checked_sub(1).filter(|_| at > search.from).and_then(|before| bytes.get(before).copied());
        let mut looping = None;
        for link in chain {
            for candidate in link.context.candidates(place) {
                let pattern = candidate.pattern;
                if !candidate.fits(after, before) || idle.iter().any(|idle| std::ptr::eq(*idle, pattern)) {
                    continue;
                }
                let Some(end) = self.end(search, link, pattern, at) else {
                    continue;
                };
                let by_prototype = link.is_prototype;
                let found = Match { pattern, start: at, end, by_prototype, would_loop: false };
                match pattern.operation {
                    Operation::Stay if end == at => idle.push(pattern),
                    Operation::Push(_) if self.stack.len() >= DEPTH => {}
                    Operation::Pop if search.just_entered && end <= search.from => {
                        looping = Some(Match { would_loop: true, ..found });
                    }
                    _ => return Some(found),
                }
            }
        }
        looping
    }

    fn end(&mut self, search: &Search, link: &ActiveContext, pattern: &'static Pattern, at: usize) -> Option<usize> {
        match &link.groups {
            Some(groups) if pattern.refers => {
                let source = groups.fill(pattern.source);
                let matcher = self.referring.entry(source).or_insert_with_key(|source| Matcher::regex(source));
                matcher.end(search.line, at, search.from, &mut self.region)
            }
            _ => pattern.end(search.line, at, search.from, &mut self.region),
        }
    }

    fn apply(&mut self, line: &str, found: &Match, writer: &mut TokenWriter) -> Result<(), Stuck> {
        let pattern = found.pattern;
        let context = self.stack.last().ok_or(Stuck)?.context;
        let entered = entered(pattern)?;
        writer.to(found.start, &self.scopes);
        self.scopes_before(context, pattern, &entered);
        self.scopes.extend(pattern.scopes);
        self.write_groups(pattern, writer);
        writer.to(found.end, &self.scopes);
        self.scopes.pop(pattern.scopes.len());
        self.scopes_after(context, pattern, &entered);
        self.move_on(line, pattern, entered)
    }

    /// Writes the groups of a match, which are nested by their ranges.
    fn write_groups(&mut self, pattern: &'static Pattern, writer: &mut TokenWriter) {
        let mut edges: Vec<(usize, Option<usize>, &[u8])> = Vec::new();
        for &(group, scopes) in &pattern.captures {
            if let Some((start, end)) = self.region.pos(group).filter(|(start, end)| start < end) {
                edges.push((start, Some(usize::MAX - (end - start)), scopes));
                edges.push((end, None, scopes));
            }
        }
        edges.sort_by_key(|&(at, order, _)| (at, order));
        for (at, opens, scopes) in edges {
            writer.to(at, &self.scopes);
            match opens {
                Some(_) => self.scopes.extend(scopes),
                None => self.scopes.pop(scopes.len()),
            }
        }
    }

    /// Updates the scopes for the match itself.
    fn scopes_before(&mut self, context: &Context, pattern: &Pattern, entered: &[&Context]) {
        match pattern.operation {
            Operation::Stay => {}
            Operation::Pop => self.scopes.pop(context.within.len()),
            Operation::Push(_) => {
                for to in entered {
                    self.scopes.clear(to.clear);
                    self.scopes.extend(to.around);
                }
            }
            Operation::Set(_) => {
                if context.clear != Clear::None {
                    self.scopes.restore();
                }
                for to in entered {
                    self.scopes.extend(to.around);
                }
            }
        }
    }

    /// Updates the scopes for the text after the match.
    fn scopes_after(&mut self, context: &Context, pattern: &Pattern, entered: &[&Context]) {
        let is_set = match pattern.operation {
            Operation::Stay => return,
            Operation::Pop => {
                self.scopes.pop(context.around.len());
                if context.clear != Clear::None {
                    self.scopes.restore();
                }
                return;
            }
            Operation::Push(_) => false,
            Operation::Set(_) => true,
        };
        let left = if is_set { context.around.len() + context.within.len() } else { 0 };
        let stays = |to: &&Context| to.within.is_empty() && !(is_set && to.clear != Clear::None);
        if left == 0 && entered.iter().all(stays) {
            return;
        }
        let around: usize = entered.iter().map(|to| to.around.len()).sum();
        self.scopes.pop(left + around);
        for to in entered {
            if is_set {
                self.scopes.clear(to.clear);
            }
            self.scopes.extend(to.around);
            self.scopes.extend(to.within);
        }
    }

    fn move_on(&mut self, line: &str, pattern: &Pattern, entered: Vec<&'static Context>) -> Result<(), Stuck> {
        // Replacing a context keeps its prototypes.
        let mut prototypes = match pattern.operation {
            Operation::Stay | Operation::Push(_) => Vec::new(),
            Operation::Pop => {
                self.stack.pop();
                Vec::new()
            }
            Operation::Set(_) => self.stack.pop().map(|level| level.prototypes).unwrap_or_default(),
        };
        let last = entered.len().saturating_sub(1);
        for (index, context) in entered.into_iter().enumerate() {
            let mut prototypes = std::mem::take(&mut prototypes);
            prototypes.extend(grammar().context(pattern.prototype).filter(|_| index == last));
            let refers = context.refers || prototypes.iter().any(|prototype| prototype.refers);
            let groups =
                refers.then(|| if pattern.is_literal() { Groups::none() } else { Groups::of(line, &self.region) });
            self.stack.push(StackEntry { context, prototypes, groups });
        }
        if self.stack.is_empty() { Err(Stuck) } else { Ok(()) }
    }
}

/// Returns for each position of a line, including its end, the set of ASCII characters there and after it.
fn ascii_after(line: &str) -> Vec<u128> {
    let mut after = vec![0; line.len() + 1];
    let mut seen = 0;
    for (set, byte) in after.iter_mut().zip(line.bytes()).rev() {
        if byte.is_ascii() {
            seen |= 1 << byte;
        }
        *set = seen;
    }
    after
}

fn entered(pattern: &Pattern) -> Result<Vec<&'static Context>, Stuck> {
    let targets = match &pattern.operation {
        Operation::Stay | Operation::Pop => return Ok(Vec::new()),
        Operation::Push(targets) | Operation::Set(targets) => targets,
    };
    targets.iter().map(|&target| grammar().context(target).ok_or(Stuck)).collect()
}
