//! Computes the values of all pages: each after the values that it needs, on its own page and on others.

mod code;
mod stack;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use infralens_course::config::Config;
use infralens_course::course::{Course, PageId};
use infralens_course::records::Records;
use infralens_page::front_matter::Figures;
use infralens_page::{Document, Kind};
use infralens_render::Subject;
use infralens_render::figures::{PageValue, PageValues, PinDrift};
use infralens_source::diag::{Diagnostic, codes, similar};
use infralens_starter::Listing;
use infralens_units::{Declaration, Failure, Origin, Problem, Quantity, Reference, Value, compile, evaluate, print};

/// The values of each page that has values or whose figures are checked, by the path of its file.
pub type CourseValues = BTreeMap<Arc<str>, Arc<PageValues>>;

/// Computes the values of all pages. If the structure of the course is that of the `previous` plan, `is_edited` tells the
/// pages of which something that their formulas read has changed; all others keep their values, except those whose formulas
/// name values of such a page, directly or not. A page also keeps its values if they are computed to be the same.
pub fn compute_all<'a>(
    previous: &Arc<CourseValues>,
    pages: impl Iterator<Item = Subject<'a>>,
    course: &Course,
    config: &Config,
    (records, listings): (&Records, &BTreeMap<Arc<str>, Arc<Listing>>),
    is_edited: Option<&impl Fn(&Subject<'_>) -> bool>,
) -> Arc<CourseValues> {
    let pages: Vec<Subject<'_>> = pages.collect();
    let affected: Vec<Subject<'_>> = match is_edited {
        Some(is_edited) => affected(&pages, course, is_edited),
        None => pages,
    };
    let has_values = |document: &Document| !document.body.values.is_empty();
    let is_checked = |document: &Document| {
        let unless_said = if has_values(document) { Figures::Checked } else { config.figures };
        document.front.common.figures.unwrap_or(unless_said) == Figures::Checked
    };
    let (wanted, without): (Vec<_>, Vec<_>) =
        affected.into_iter().partition(|page| has_values(page.document) || is_checked(page.document));
    let computation = Computation::new(wanted, course, records, listings);
    let results = computation.results();
    let front = stack::find_front(&computation);
    let compute = |page: usize| {
        let document = computation.pages[page].document;
        let mut values = computation.page_values(page, &results);
        stack::add_front(&front, &mut values, document, page, &config.labels);
        values.is_checked = is_checked(document);
        values.has_calculators = document.body.values.iter().any(|block| block.calculator.is_some());
        if values.is_checked {
            values.find_figures(document, &config.language);
        }
        let path = document.source.path();
        let earlier = previous.get(path).filter(|earlier| ***earlier == values);
        (Arc::clone(path), earlier.map_or_else(|| Arc::new(values), Arc::clone))
    };
    let computed: Vec<_> = (0..computation.pages.len()).into_par_iter().with_min_len(4).map(compute).collect();
    if is_edited.is_none() {
        return Arc::new(computed.into_iter().collect());
    }
    let mut values = Arc::clone(previous);
    for path in without.iter().map(|page| page.document.source.path()).filter(|&path| previous.contains_key(path)) {
        Arc::make_mut(&mut values).remove(path);
    }
    for (path, computed) in computed {
        if previous.get(&path).is_none_or(|earlier| !Arc::ptr_eq(earlier, &computed)) {
            Arc::make_mut(&mut values).insert(path, computed);
        }
    }
    values
}

/// Returns the edited pages, and those that formulas, or two front calculators, join to them.
fn affected<'a>(pages: &[Subject<'a>], course: &Course, is_edited: &impl Fn(&Subject<'_>) -> bool) -> Vec<Subject<'a>> {
    let mut by_id = vec![None; course.pages.len()];
    let mut joined: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut front = None;
    for (index, page) in pages.iter().enumerate() {
        page.page.into_iter().for_each(|id| by_id[id] = Some(index));
        let calculators = page.document.body.values.iter().filter_map(|block| block.calculator.as_ref());
        if calculators.into_iter().any(|calculator| calculator.front.is_some()) {
            let first = *front.get_or_insert(index);
            joined.entry(first).or_default().push(index);
            joined.entry(index).or_default().push(first);
        }
    }
    for (index, page) in pages.iter().enumerate() {
        for origin in &page.document.body.elsewhere {
            let Origin::Page(name) = origin else { continue };
            if let Some(other) = named_page(course, page, name).and_then(|id| by_id[id]) {
                joined.entry(other).or_default().push(index);
                joined.entry(index).or_default().push(other);
            }
        }
    }
    let mut is_affected: Vec<bool> = pages.iter().map(is_edited).collect();
    let mut found: Vec<usize> = (0..pages.len()).filter(|&index| is_affected[index]).collect();
    while let Some(index) = found.pop() {
        for &other in joined.get(&index).into_iter().flatten() {
            if !std::mem::replace(&mut is_affected[other], true) {
                found.push(other);
            }
        }
    }
    pages.iter().zip(is_affected).filter(|(_, is_affected)| *is_affected).map(|(page, _)| *page).collect()
}

/// Returns the page that a name in a formula of another page refers to.
fn named_page(course: &Course, from: &Subject<'_>, name: &str) -> Option<PageId> {
    let (track, name) = match name.split_once('/') {
        Some((track, name)) => (course.tracks.iter().position(|known| *known.name == *track)?, name),
        None => (course.pages[from.page?].track?, name),
    };
    [Kind::Lab, Kind::Section].into_iter().find_map(|kind| course.named(track, kind, name))
}

/// A declaration of a page.
struct Declared<'a> {
    /// The index of the page.
    page: usize,
    /// The indices of its block on the page, and of the declaration in the block.
    place: (usize, usize),
    declaration: &'a Declaration,
    /// The indices of the declarations that it needs.
    needs: Vec<usize>,
}

/// What a declaration was computed to be, and the records that it was computed from.
struct Computed<'a> {
    value: Option<Value<'a>>,
    records: BTreeSet<&'a str>,
}

/// The result of a declaration.
type Outcome<'a> = (Computed<'a>, Option<Diagnostic>);

struct Computation<'a> {
    pages: Vec<Subject<'a>>,
    course: &'a Course,
    records: &'a Records,
    /// The starter files that pages name.
    listings: &'a BTreeMap<Arc<str>, Arc<Listing>>,
    declared: Vec<Declared<'a>>,
    /// The index of each declaration, by page and name.
    by_name: BTreeMap<(usize, &'a str), usize>,
    /// Names that a page declares again in another block.
    repeated: Vec<(usize, Diagnostic)>,
    /// The index of each page of the course.
    by_id: BTreeMap<PageId, usize>,
}

impl<'a> Computation<'a> {
    fn new(
        pages: Vec<Subject<'a>>,
        course: &'a Course,
        records: &'a Records,
        listings: &'a BTreeMap<Arc<str>, Arc<Listing>>,
    ) -> Self {
        let by_id = pages.iter().enumerate().filter_map(|(index, page)| Some((page.page?, index))).collect();
        let mut computation = Self {
            pages,
            course,
            records,
            listings,
            declared: Vec::new(),
            by_name: BTreeMap::new(),
            repeated: Vec::new(),
            by_id,
        };
        for page in 0..computation.pages.len() {
            computation.declare(page);
        }
        for index in 0..computation.declared.len() {
            let names = computation.declared[index].declaration.expression.names();
            let page = computation.declared[index].page;
            let needs = names.into_iter().filter_map(|name| computation.find(page, name)).collect();
            computation.declared[index].needs = needs;
        }
        computation
    }

    fn declare(&mut self, page: usize) {
        let document = self.pages[page].document;
        for (block, sheet) in document.body.values.iter().map(|block| &block.sheet).enumerate() {
            for (index, declaration) in sheet.declarations.iter().enumerate() {
                let name = declaration.name.as_str();
                let first = self.by_name.get(&(page, name)).map(|&first| &self.declared[first]);
                if let Some(first) = first.filter(|first| first.place.0 != block) {
                    let place = |declaration: &Declaration| document.source.place(declaration.name_span.clone());
                    let message = format!("`{name}` is declared twice");
                    let repeated = Diagnostic::new(codes::E0608, place(declaration), message)
                        .related(place(first.declaration), "first declared here");
                    self.repeated.push((page, repeated));
                }
                self.by_name.entry((page, name)).or_insert(self.declared.len());
                self.declared.push(Declared { page, place: (block, index), declaration, needs: Vec::new() });
            }
        }
    }

    /// Returns the declaration that a reference on a page names.
    fn find(&self, from: usize, reference: &Reference) -> Option<usize> {
        let page = match &reference.origin {
            Origin::Here => from,
            Origin::Page(name) => *self.by_id.get(&named_page(self.course, &self.pages[from], name)?)?,
            Origin::Record | Origin::Code(_) => return None,
        };
        self.by_name.get(&(page, reference.name.as_str())).copied()
    }

    /// Computes every declaration, each after those that it needs.
    fn results(&self) -> Vec<Outcome<'a>> {
        let mut results: Vec<Option<Outcome<'a>>> = self.declared.iter().map(|_| None).collect();
        let mut missing: Vec<usize> = self.declared.iter().map(|declared| declared.needs.len()).collect();
        let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); self.declared.len()];
        for (index, declared) in self.declared.iter().enumerate() {
            for &needed in &declared.needs {
                needed_by[needed].push(index);
            }
        }
        let mut ready: Vec<usize> = (0..self.declared.len()).filter(|&index| missing[index] == 0).collect();
        while let Some(index) = ready.pop() {
            results[index] = Some(self.result(index, &results));
            for &next in &needed_by[index] {
                missing[next] -= 1;
                if missing[next] == 0 {
                    ready.push(next);
                }
            }
        }
        let mut cycles = self.cycles(&missing);
        let unknown = || Computed { value: None, records: BTreeSet::new() };
        let results = results.into_iter().enumerate();
        results.map(|(index, result)| result.unwrap_or_else(|| (unknown(), cycles.remove(&index)))).collect()
    }

    /// Computes a declaration from the results of those that it needs.
    fn result(&self, index: usize, results: &[Option<Outcome<'a>>]) -> Outcome<'a> {
        let Declared { page, declaration, needs, .. } = &self.declared[index];
        let document = self.pages[*page].document;
        let mut records: BTreeSet<&'a str> = BTreeSet::new();
        records.extend(
            needs.iter().filter_map(|&needed| results[needed].as_ref()).flat_map(|(computed, _)| &computed.records),
        );
        let own = declaration.expression.names().into_iter().filter(|name| name.origin == Origin::Record);
        records.extend(own.map(|name| name.name.as_str()));
        let resolve = |reference: &Reference| self.resolve(*page, reference, |found| results[found].as_ref());
        match evaluate(&declaration.expression, &resolve) {
            Ok(value) => (Computed { value: Some(value), records }, None),
            Err(Failure::Elsewhere) => (Computed { value: None, records }, None),
            Err(Failure::Here(problem)) => {
                (Computed { value: None, records }, Some(problem.diagnostic(&document.source)))
            }
        }
    }

    /// Returns the value of a name on a page; `result` returns the result of a declaration, if it has been computed.
    fn resolve<'r>(
        &self,
        page: usize,
        reference: &Reference,
        result: impl Fn(usize) -> Option<&'r Outcome<'a>>,
    ) -> Result<Value<'a>, Failure>
    where
        'a: 'r,
    {
        match &reference.origin {
            Origin::Record => return self.record(page, reference),
            Origin::Code(piece) => return self.code(page, piece),
            Origin::Here | Origin::Page(_) => {}
        }
        let found = self.find(page, reference).ok_or_else(|| self.unknown(page, reference))?;
        result(found).and_then(|(computed, _)| computed.value).ok_or(Failure::Elsewhere)
    }

    fn record(&self, page: usize, reference: &Reference) -> Result<Value<'a>, Failure> {
        let (page, name) = (self.pages[page], &reference.name);
        let own = || Some(page.main_file?.rsplit_once('/')?.0.to_owned());
        let (folder, record) = match name.rsplit_once('/') {
            Some((folder, record)) => (Some(format!("code/{folder}")), record),
            None => (own(), name.as_str()),
        };
        let Some(folder) = folder else {
            // The course reports a lab whose starter is unknown.
            if page.document.placement.kind == Kind::Lab {
                return Err(Failure::Elsewhere);
            }
            let problem =
                Problem::new(codes::E0602, reference.span.clone(), format!("this page has no record `{name}`"));
            return Err(problem.help("name the folder below `code/`, too: `record(\"lab-01-x/NAME\")`").into());
        };
        if let Some(found) = self.records.get(&folder, record) {
            return Ok(Value::Data(found));
        }
        if self.records.is_declared(&folder, record) || !self.records.declared.is_complete {
            return Err(Failure::Elsewhere);
        }
        let problem = Problem::new(codes::E0602, reference.span.clone(), format!("no lab declares a record `{name}`"));
        let declared = self.records.declared.all.iter().filter(|declared| *declared.folder == *folder);
        Err(match similar(record, declared.map(|declared| declared.name.value.as_ref())) {
            Some(near) => problem.help(format!("did you mean `{}`?", near.name)).near(record, Some(near)),
            None => problem.help("declare its command in the lab's front matter: `starter.record`"),
        }
        .into())
    }

    fn unknown(&self, from: usize, reference: &Reference) -> Failure {
        let (name, span) = (&reference.name, reference.span.clone());
        let page = match &reference.origin {
            Origin::Page(page) => match named_page(self.course, &self.pages[from], page) {
                Some(page) => self.by_id.get(&page).copied(),
                // The course reports the unknown prerequisite of a lab or section.
                None if matches!(self.pages[from].document.placement.kind, Kind::Lab | Kind::Section) => {
                    return Failure::Elsewhere;
                }
                None => {
                    let problem = Problem::new(codes::E0602, span, format!("there is no lab or section `{page}`"));
                    return problem.help("write `TRACK/NAME.VALUE`").into();
                }
            },
            _ => Some(from),
        };
        let document = page.map(|page| self.pages[page].document);
        let is_whole = document.is_none_or(|document| document.body.values.iter().all(|block| block.sheet.is_whole));
        if !is_whole {
            // It may be declared in a line that could not be read, which is reported.
            return Failure::Elsewhere;
        }
        let names = self.by_name.range((page.unwrap_or(usize::MAX), "")..);
        let names = names.map(|(key, _)| key).take_while(|key| Some(key.0) == page).map(|key| key.1);
        let near = similar(name, names);
        let message = match &reference.origin {
            Origin::Page(page) => format!("`{page}` declares no value `{name}`"),
            _ => format!("this page declares no value `{name}`"),
        };
        let problem = Problem::new(codes::E0602, span, message);
        match near {
            Some(near) => problem.help(format!("did you mean `{}`?", near.name)).near(name, Some(near)).into(),
            None => problem.into(),
        }
    }

    /// Returns a diagnostic for each cycle, by its first declaration. `missing` has, for each declaration, how many of
    /// those that it needs could not be computed.
    fn cycles(&self, missing: &[usize]) -> BTreeMap<usize, Diagnostic> {
        let mut found = BTreeMap::new();
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        for start in (0..missing.len()).filter(|&index| missing[index] > 0) {
            let mut path: Vec<usize> = Vec::new();
            let mut at = start;
            // Every declaration that is left needs another one that is left.
            while seen.insert(at) {
                path.push(at);
                let next = self.declared[at].needs.iter().copied().find(|&needed| missing[needed] > 0);
                at = next.unwrap_or(at);
            }
            if let Some(first) = path.iter().position(|&index| index == at) {
                let cycle = &path[first..];
                let first = cycle.iter().copied().min().unwrap_or(at);
                found.insert(first, self.cycle(cycle, first));
            }
        }
        found
    }

    fn cycle(&self, cycle: &[usize], first: usize) -> Diagnostic {
        let begin = cycle.iter().position(|&index| index == first).unwrap_or(0);
        let is_one_page = cycle.iter().all(|&index| self.declared[index].page == self.declared[first].page);
        let name = |&index: &usize| {
            let declared = &self.declared[index];
            let page = &self.pages[declared.page].document.placement.name;
            if is_one_page {
                declared.declaration.name.clone()
            } else {
                format!("{page}.{}", declared.declaration.name)
            }
        };
        let in_order = cycle[begin..].iter().chain(&cycle[..begin]).chain([&first]);
        let names: Vec<String> = in_order.map(name).collect();
        let declared = &self.declared[first];
        let place = self.pages[declared.page].document.source.place(declared.declaration.name_span.clone());
        Diagnostic::new(codes::E0603, place, format!("cycle among values: {}", names.join(" → ")))
            .help("a value cannot be computed from itself: make one of them a constant")
    }

    /// Returns the range of the declarations of a page; they are in the order of the pages.
    fn of_page(&self, page: usize) -> Range<usize> {
        let first = |page| self.declared.partition_point(|declared| declared.page < page);
        first(page)..first(page + 1)
    }

    /// Returns the values of a page without its figures.
    fn page_values(&self, page: usize, results: &[Outcome<'a>]) -> PageValues {
        let document = self.pages[page].document;
        let repeated = self.repeated.iter().filter(|(of, _)| *of == page);
        let mut values = PageValues::default();
        values.diagnostics.extend(repeated.map(|(_, found)| found.clone()));
        let of_page = self.of_page(page);
        values.is_complete = results[of_page.clone()].iter().all(|(computed, _)| computed.value.is_some());
        for (declared, (computed, diagnostic)) in self.declared[of_page.clone()].iter().zip(&results[of_page]) {
            values.diagnostics.extend(diagnostic.clone());
            // A part of a record may be no number.
            let quantity = if let Some(Value::Number(quantity)) = computed.value { Some(quantity) } else { None };
            if let Some(drift) = quantity.and_then(|quantity| drift(declared.declaration, quantity)) {
                values.diagnostics.push(drift.diagnostic(document));
                values.drifts.push(drift);
            }
            let declaration = declared.declaration;
            let pin = declaration.pin.as_ref().map_or("", |pin| &pin.text);
            let printed = || quantity.map(|quantity| print(quantity, declaration.expression.is_binary()));
            values.values.push(PageValue {
                name: declaration.name.clone(),
                formula: document.source.text()[declaration.expression.span.clone()].to_owned(),
                about: declaration.comment.clone(),
                printed: if pin.is_empty() { printed().unwrap_or_default() } else { pin.to_owned() },
                block: declared.place.0,
                declaration: declared.place.1,
                is_pinned: declaration.pin.is_some(),
                quantity,
                calculator: document.body.values[declared.place.0]
                    .calculator
                    .as_ref()
                    .map(|calculator| calculator.title.clone()),
                records: computed.records.iter().map(|name| (*name).to_owned()).collect(),
            });
        }
        let resolve = |reference: &Reference| self.resolve(page, reference, |found| results.get(found));
        values.index(&document.body);
        for (index, block) in document.body.values.iter().enumerate() {
            let Some(calculator) = &block.calculator else { continue };
            // A failure has been reported where the values were computed.
            let Ok((mut tree, compiled)) = compile(&block.sheet, &resolve) else { continue };
            if let Some(stack) = &calculator.stack {
                let found = stack::check(document, stack, &values);
                values.diagnostics.extend(found);
                tree["stack"] = stack::json(stack);
            }
            values.calculators.insert(index, (tree.to_string(), compiled));
        }
        values
    }
}

/// Returns how the pin of a declaration differs from its value.
fn drift(declaration: &Declaration, quantity: Quantity) -> Option<PinDrift> {
    let pin = declaration.pin.as_ref()?;
    let text = match &pin.figure {
        Some(figure) if figure.is_printed_by(quantity) => return None,
        Some(figure) if figure.quantity().dimension == quantity.dimension => figure.adapt(quantity),
        // A pin that cannot be read is reported already.
        None if !pin.text.is_empty() => return None,
        _ => print(quantity, declaration.expression.is_binary()),
    };
    let name = declaration.name.clone();
    Some(PinDrift { name, pinned: pin.text.clone(), span: pin.span.clone(), text })
}
