//! The state machine of a syntax: where a file stands after each line, and the scopes of the line's text.
//!
//! Steps, from the start of a line until nothing matches: find the first place where a pattern of the current context
//! matches, the prototypes' patterns first; give the match its scopes; enter or leave contexts. The rules, down to the
//! order in which scopes come and go, are those of Sublime Text as syntect keeps them.

use super::Token;
use super::class::INHERIT;
use super::grammar::{Clear, Context, grammar};
use super::groups::Groups;
use super::pattern::{Matcher, Operation, Pattern, Place};
use super::scopes::{Painter, Scopes};
use onig::Region;
use std::collections::HashMap;

/// How many contexts may be entered within each other.
const DEPTH: usize = 100;

/// The syntax cannot go on: it names a context that does not exist, leaves its last one, or does not come forward.
#[derive(Debug)]
pub struct Stuck;

/// Where a file stands between two lines.
#[derive(Debug)]
pub struct Parser {
    stack: Vec<Level>,
    /// Heights of the stack: prototypes below the last count no more, as one of them has entered a context itself.
    floors: Vec<usize>,
    scopes: Scopes,
    /// Groups of the last match.
    region: Region,
    /// Patterns in which references to groups are replaced by what these took.
    referring: HashMap<String, Matcher>,
}

#[derive(Debug)]
struct Level {
    context: &'static Context,
    /// Contexts whose patterns come first here and in all that is entered from here.
    prototypes: Vec<&'static Context>,
    groups: Option<Groups>,
}

/// A context that is searched.
struct Link {
    context: &'static Context,
    groups: Option<Groups>,
    is_prototype: bool,
}

/// A line, and where the search in it begins.
struct Search<'a> {
    line: &'a str,
    /// For each place the ASCII characters there and after it.
    after: &'a [u128],
    from: usize,
    /// A match of nothing has just entered this context here, and must not leave it at once.
    just_entered: bool,
}

struct Found {
    pattern: &'static Pattern,
    start: usize,
    end: usize,
    by_prototype: bool,
    would_loop: bool,
}

impl Parser {
    /// A parser at the start of a file.
    pub fn new(entry: u32) -> Option<Self> {
        let context = grammar().context(entry)?;
        let mut scopes = Scopes::default();
        scopes.push(context.within.first().copied().unwrap_or(INHERIT));
        let level = Level { context, prototypes: Vec::new(), groups: None };
        let (region, referring) = (Region::with_capacity(8), HashMap::new());
        Some(Self { stack: vec![level], floors: Vec::new(), scopes, region, referring })
    }

    /// Reads a line with its `\n` and adds the tokens of its text.
    pub fn line(&mut self, line: &str, tokens: &mut Vec<Token>) -> Result<(), Stuck> {
        let after = ascii_after(line);
        let mut painter = Painter::new(line.strip_suffix('\n').unwrap_or(line), tokens);
        let (mut from, mut entered) = (0, (0, 0));
        // Steps without progress are rare and few in a row: this many mean that the syntax goes in circles.
        for _ in 0..64 + 16 * line.len() {
            while self.floors.last().is_some_and(|&floor| floor >= self.stack.len()) {
                self.floors.pop();
            }
            let just_entered = entered == (from, self.stack.len());
            let Some(found) = self.find(&Search { line, after: &after, from, just_entered }) else {
                painter.finish(&self.scopes);
                return Ok(());
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
            self.apply(line, &found, &mut painter)?;
        }
        Err(Stuck)
    }

    /// The first match from a place on; of those at one place that of the first pattern.
    fn find(&mut self, search: &Search) -> Option<Found> {
        let chain = self.chain()?;
        let mut idle = Vec::new();
        (search.from..=search.line.len())
            .filter(|&at| search.line.is_char_boundary(at))
            .find_map(|at| self.find_at(search, &chain, at, &mut idle))
    }

    /// The contexts whose patterns count now, in order.
    fn chain(&self) -> Option<Vec<Link>> {
        let level = self.stack.last()?;
        let floor = self.floors.last().copied().unwrap_or(0);
        let mut chain = Vec::with_capacity(4);
        for level in self.stack.get(floor..).unwrap_or_default() {
            let link = |&context| Link { context, groups: level.groups.clone(), is_prototype: true };
            chain.extend(level.prototypes.iter().map(link));
        }
        let own = grammar().context(level.context.prototype);
        chain.extend(own.map(|context| Link { context, groups: None, is_prototype: false }));
        chain.push(Link { context: level.context, groups: level.groups.clone(), is_prototype: false });
        Some(chain)
    }

    /// The first pattern that matches at a place. One that would only leave what was just entered gives way to any
    /// other. A pattern that once matches nothing to no effect is `idle` for the rest of the search.
    fn find_at(
        &mut self,
        search: &Search,
        chain: &[Link],
        at: usize,
        idle: &mut Vec<&'static Pattern>,
    ) -> Option<Found> {
        let bytes = search.line.as_bytes();
        let (place, after) = (Place::of(bytes, at), search.after.get(at).copied().unwrap_or_default());
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
                let found = Found { pattern, start: at, end, by_prototype, would_loop: false };
                match pattern.operation {
                    Operation::Stay if end == at => idle.push(pattern),
                    Operation::Push(_) if self.stack.len() >= DEPTH => {}
                    Operation::Pop if search.just_entered && end <= search.from => {
                        looping = Some(Found { would_loop: true, ..found });
                    }
                    _ => return Some(found),
                }
            }
        }
        looping
    }

    fn end(&mut self, search: &Search, link: &Link, pattern: &'static Pattern, at: usize) -> Option<usize> {
        match &link.groups {
            Some(groups) if pattern.refers => {
                let source = groups.fill(pattern.source);
                let matcher = self.referring.entry(source).or_insert_with_key(|source| Matcher::regex(source));
                matcher.end(search.line, at, search.from, &mut self.region)
            }
            _ => pattern.end(search.line, at, search.from, &mut self.region),
        }
    }

    fn apply(&mut self, line: &str, found: &Found, painter: &mut Painter) -> Result<(), Stuck> {
        let pattern = found.pattern;
        let context = self.stack.last().ok_or(Stuck)?.context;
        let entered = entered(pattern)?;
        painter.to(found.start, &self.scopes);
        self.scopes_before(context, pattern, &entered);
        self.scopes.extend(pattern.scopes);
        self.paint_groups(pattern, painter);
        painter.to(found.end, &self.scopes);
        self.scopes.pop(pattern.scopes.len());
        self.scopes_after(context, pattern, &entered);
        self.move_on(line, pattern, entered)
    }

    /// Paints the groups of the match, which open and close in the order of their places, the longer around the
    /// shorter.
    fn paint_groups(&mut self, pattern: &'static Pattern, painter: &mut Painter) {
        let mut edges: Vec<(usize, Option<usize>, &[u8])> = Vec::new();
        for &(group, scopes) in &pattern.captures {
            if let Some((start, end)) = self.region.pos(group).filter(|(start, end)| start < end) {
                edges.push((start, Some(usize::MAX - (end - start)), scopes));
                edges.push((end, None, scopes));
            }
        }
        edges.sort_by_key(|&(at, order, _)| (at, order));
        for (at, opens, scopes) in edges {
            painter.to(at, &self.scopes);
            match opens {
                Some(_) => self.scopes.extend(scopes),
                None => self.scopes.pop(scopes.len()),
            }
        }
    }

    /// What entering or leaving contexts does to the scopes of the match itself.
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

    /// What entering or leaving contexts does to the scopes of what follows.
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
        // A prototype stays where the level that it came with is only replaced.
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
            self.stack.push(Level { context, prototypes, groups });
        }
        if self.stack.is_empty() { Err(Stuck) } else { Ok(()) }
    }
}

/// For each place of a line, its end included, the ASCII characters there and after it.
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

/// The contexts that a match enters.
fn entered(pattern: &Pattern) -> Result<Vec<&'static Context>, Stuck> {
    let targets = match &pattern.operation {
        Operation::Stay | Operation::Pop => return Ok(Vec::new()),
        Operation::Push(targets) | Operation::Set(targets) => targets,
    };
    targets.iter().map(|&target| grammar().context(target).ok_or(Stuck)).collect()
}
