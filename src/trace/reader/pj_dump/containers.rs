//! The containers of a dump: what rows call them, and when they live.
//!
//! Rows name containers by name only. Times of containers are printed with six digits; where the rows on a container
//! agree with these, theirs are taken, which are exact.

use hashbrown::HashMap;

/// A container.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DumpContainer {
    pub name: String,
    pub type_: String,
    pub parent_name: String,
    /// As printed; `None` for one that has no row of its own.
    pub printed: Option<(i64, i64)>,
    /// The least and the largest time of rows on it.
    pub used: Option<(i64, i64)>,
    /// The place of the parent, once it is known; `None` is the root.
    pub parent: Option<usize>,
}

/// All containers, parents before their children once [`DumpContainers::arrange`] is done.
#[derive(Debug, Default)]
pub(super) struct DumpContainers {
    pub all: Vec<DumpContainer>,
    by_name: HashMap<String, Vec<usize>>,
    /// Time of the end of the root, as printed.
    pub root_end: Option<i64>,
    /// Ticks of the unit of times: below one, six digits are at least as fine as six decimals.
    unit: i64,
    /// Containers that rows name and that have no row of their own.
    pub undefined: u64,
    /// Rows whose container has a name that several have.
    pub ambiguous: u64,
}

impl DumpContainers {
    /// No containers; a unit of time has so many ticks.
    pub fn new(unit: i64) -> DumpContainers {
        DumpContainers { unit, ..DumpContainers::default() }
    }

    /// Takes a row of a container.
    pub fn add(&mut self, name: &str, type_: &str, parent_name: &str, printed: (i64, i64)) {
        if name == "0" && type_ == "0" {
            self.root_end = Some(printed.1);
            return;
        }
        self.push(name, type_, parent_name, Some(printed));
    }

    fn push(&mut self, name: &str, type_: &str, parent_name: &str, printed: Option<(i64, i64)>) -> usize {
        let place = self.all.len();
        self.by_name.entry(name.to_string()).or_default().push(place);
        let [name, type_, parent_name] = [name, type_, parent_name].map(str::to_string);
        self.all.push(DumpContainer { name, type_, parent_name, printed, used: None, parent: None });
        place
    }

    /// Takes the times of a row on a container; one that is not known is created.
    pub fn touch(&mut self, name: &str, times: (i64, i64)) {
        let (start, end) = (times.0.min(times.1), times.0.max(times.1));
        if name == "0" {
            return;
        }
        let place = match self.find(name, start, end) {
            Some(place) => place,
            None => {
                self.undefined += 1;
                self.push(name, "container", "0", None)
            }
        };
        let used = self.all[place].used.get_or_insert((start, end));
        *used = (used.0.min(start), used.1.max(end));
    }

    /// Counts rows on containers that share their name.
    pub fn note_ambiguity(&mut self, name: &str) {
        if self.by_name.get(name).is_some_and(|places| places.len() > 1) {
            self.ambiguous += 1;
        }
    }

    /// The container of a row: of several of one name the first that lives at its times, or else the first.
    pub fn find(&self, name: &str, start: i64, end: i64) -> Option<usize> {
        let places = self.by_name.get(name)?;
        if let [one] = places[..] {
            return Some(one);
        }
        let lives = |place: &&usize| {
            self.all[**place]
                .printed
                .is_none_or(|(from, to)| (from <= start || is_near(from, start)) && (end <= to || is_near(to, end)))
        };
        places.iter().find(lives).or(places.first()).copied()
    }

    /// Finds the parents, and gives the places of all containers, parents first. A parent that does not exist, or that
    /// is below its own child, is the root; says how many there were.
    pub fn arrange(&mut self) -> (Vec<usize>, u64) {
        let mut orphans = 0;
        for place in 0..self.all.len() {
            let container = &self.all[place];
            if container.parent_name == "0" {
                continue;
            }
            let (start, end) = container.printed.unwrap_or((0, 0));
            let parent = self.find(&container.parent_name, start, end).filter(|parent| *parent != place);
            orphans += u64::from(parent.is_none());
            self.all[place].parent = parent;
        }
        let mut children: Vec<Vec<usize>> = vec![vec![]; self.all.len()];
        let mut next: Vec<usize> = vec![];
        for (place, container) in self.all.iter().enumerate().rev() {
            match container.parent {
                Some(parent) => children[parent].push(place),
                None => next.push(place),
            }
        }
        let mut order = Vec::with_capacity(self.all.len());
        let mut is_reached = vec![false; self.all.len()];
        let mut unreached = 0..self.all.len();
        loop {
            while let Some(place) = next.pop() {
                if !std::mem::replace(&mut is_reached[place], true) {
                    order.push(place);
                    next.extend(&children[place]);
                }
            }
            // What is left is a circle, or hangs below one: it is cut.
            let Some(place) = unreached.find(|place| !is_reached[*place]) else { break };
            self.all[place].parent = None;
            orphans += 1;
            next.push(place);
        }
        self.widen(&order);
        (order, orphans)
    }

    /// A container lives as long as those below it.
    fn widen(&mut self, order: &[usize]) {
        for place in order.iter().rev() {
            let (Some(parent), Some((start, end))) = (self.all[*place].parent, self.all[*place].used) else { continue };
            let used = self.all[parent].used.get_or_insert((start, end));
            *used = (used.0.min(start), used.1.max(end));
        }
    }

    /// Start and end of all containers: one lives within its parent, and ends with the trace where there is no end.
    pub fn lives(&self, order: &[usize], last: i64) -> Vec<(i64, Option<i64>)> {
        let places = 0..self.all.len();
        let mut lives: Vec<_> = places.map(|place| (self.start(place), self.end(place, last))).collect();
        for place in order.iter().rev() {
            if let Some(parent) = self.all[*place].parent {
                lives[parent].0 = lives[parent].0.min(lives[*place].0);
            }
        }
        for place in order {
            let above = self.all[*place].parent.and_then(|parent| lives[parent].1);
            let (start, end) = &mut lives[*place];
            *end = match (*end, above) {
                (Some(end), Some(above)) => Some(end.min(above)),
                // It ends with its parent.
                (None, Some(_)) => None,
                (end, None) => end,
            };
            *end = end.map(|end| end.max(*start));
        }
        lives
    }

    /// Whether a time of a container is printed at least as exactly as those of rows.
    fn is_fine(&self, printed: i64) -> bool {
        printed.unsigned_abs() < self.unit.unsigned_abs()
    }

    /// When a container is created.
    fn start(&self, place: usize) -> i64 {
        let container = &self.all[place];
        match (container.printed, container.used) {
            (Some((printed, _)), Some((used, _))) if is_near(printed, used) && !self.is_fine(printed) => used,
            (Some((printed, _)), Some((used, _))) => printed.min(used),
            (Some((printed, _)), None) => printed,
            (None, used) => used.map_or(0, |(start, _)| start),
        }
    }

    /// When a container ends; `None` when that is with the trace.
    fn end(&self, place: usize, last: i64) -> Option<i64> {
        let container = &self.all[place];
        let (_, printed) = container.printed?;
        let end = match container.used {
            Some((_, used)) if is_near(printed, used) && !self.is_fine(printed) => used,
            Some((_, used)) => printed.max(used),
            None => printed,
        };
        (end < last && (self.is_fine(printed) || !is_near(printed, last))).then_some(end.max(self.start(place)))
    }
}

/// Whether a time can be another one with six digits.
pub(super) fn is_near(printed: i64, exact: i64) -> bool {
    let gap = printed.abs_diff(exact);
    u128::from(gap) * 200_000 <= u128::from(printed.unsigned_abs().max(exact.unsigned_abs()))
}
