//! Tables and views as they were planned, the latest of all schemas.
//!
//! A view holds the plans of all that it reads, a megabyte or two. Whoever asks for the columns of everything has every view
//! of every trace planned: kept for good, two traces took 314 MB.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::catalog::TableProvider;

/// Plans that are kept: a view and what it reads, a few times over.
const KEPT: usize = 32;

/// The latest plans; see the file's head.
#[derive(Debug, Default)]
pub(super) struct RecentPlans {
    /// The one that was asked for last at the end.
    plans: Mutex<VecDeque<RecentPlan>>,
}

#[derive(Debug)]
struct RecentPlan {
    schema: Arc<str>,
    name: String,
    table: Arc<dyn TableProvider>,
}

impl RecentPlan {
    fn is(&self, schema: &str, name: &str) -> bool {
        *self.schema == *schema && self.name == name
    }
}

impl RecentPlans {
    /// A table of a schema, if it is still there.
    pub(super) fn find(&self, schema: &str, name: &str) -> Option<Arc<dyn TableProvider>> {
        self.change(|plans| {
            let place = plans.iter().position(|plan| plan.is(schema, name))?;
            let plan = plans.remove(place)?;
            let table = Arc::clone(&plan.table);
            plans.push_back(plan);
            Some(table)
        })
    }

    /// Keeps a table of a schema; the one that nobody asked for the longest goes.
    pub(super) fn keep(&self, schema: &Arc<str>, name: &str, table: &Arc<dyn TableProvider>) {
        let plan = RecentPlan { schema: Arc::clone(schema), name: name.to_string(), table: Arc::clone(table) };
        let gone = self.change(|plans| {
            plans.retain(|plan| !plan.is(schema, name));
            plans.push_back(plan);
            if plans.len() > KEPT { plans.pop_front() } else { None }
        });
        drop(gone);
    }

    /// Forgets what a schema has.
    pub(super) fn forget(&self, schema: &str) {
        self.change(|plans| plans.retain(|plan| *plan.schema != *schema));
    }

    fn change<T>(&self, change: impl FnOnce(&mut VecDeque<RecentPlan>) -> T) -> T {
        // A panic in between can only lose plans, which are made again.
        change(&mut self.plans.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
