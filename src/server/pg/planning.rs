//! Texts of clients become plans; types of parameters and columns come from plans.

use std::sync::{Arc, Mutex, PoisonError};

use arrow::datatypes::{DataType, Field};
use datafusion::logical_expr::LogicalPlan;
use pgwire::api::Type;

use super::super::error::ServerError;
use super::super::parameters::{Template, literal};
use super::super::session::ServerSession;
use super::catalog;
use super::commands::PgCommand;
use super::error::PgError;
use super::parameters::example;
use super::portal::Portal;
use super::script::split_script;
use super::types::{ResultColumn, columns, type_of};
use ocellus_engine::{Engine, Statement};

/// A statement that was prepared.
#[derive(Debug)]
pub(super) struct Prepared {
    /// `None`: there is no statement in the text.
    pub(super) template: Option<Template>,
    pub(super) command: Option<PgCommand>,
    pub(super) types: Vec<Type>,
    /// `None`: it gives no rows, or those of a cursor.
    pub(super) columns: Option<Vec<ResultColumn>>,
    /// The plan that its columns are of, if it has no parameters: whoever asks for its rows first needs no other one.
    planned: Mutex<Option<PlannedQuery>>,
}

/// A query with its plan.
#[derive(Debug)]
struct PlannedQuery {
    engine: Arc<Engine>,
    text: String,
    plan: LogicalPlan,
}

impl Prepared {
    /// Reads the one statement of a text and finds the types that were not declared.
    pub(super) async fn new(session: &ServerSession, text: &str, declared: &[u32]) -> Result<Prepared, PgError> {
        let mut statements = split_script(text)?;
        if statements.len() > 1 {
            return Err(PgError::syntax("cannot insert multiple commands into a prepared statement"));
        }
        let Some(statement) = statements.pop() else {
            return Ok(Prepared {
                template: None,
                command: None,
                types: vec![],
                columns: None,
                planned: Mutex::default(),
            });
        };
        let command = PgCommand::read(&statement).map_err(|error| error.moved(statement.before))?;
        let (template, counts) = (statement.template(), statement.counts());
        // What the client does not declare, the statement may say: `$1::int[]`.
        let casts = catalog::parameter_types(&statement);
        let kind_of = |index: usize| {
            let declared = declared.get(index).and_then(|oid| known_type(*oid));
            declared
                .or_else(|| casts.get(&(index + 1)).and_then(|oid| known_type(*oid)))
                .or_else(|| counts.contains(&(index + 1)).then_some(Type::INT8))
        };
        let declared: Vec<Option<Type>> = (0..template.count().max(declared.len())).map(kind_of).collect();
        let (types, planned) = match command.query() {
            None => (declared.into_iter().map(|kind| kind.unwrap_or(Type::TEXT)).collect(), None),
            Some(query) => infer(session, query, &declared).await.map_err(|error| match command {
                PgCommand::Query(_) if declared.is_empty() => error.moved(statement.before),
                _ => error.unplaced(),
            })?,
        };
        let columns = match (&command, &planned) {
            (PgCommand::Query(_), Some(planned)) => Some(columns(planned.plan.schema().as_arrow())),
            (PgCommand::Show(name), _) => Some(shown_columns(name)),
            _ => None,
        };
        let planned = Mutex::new(planned.filter(|_| types.is_empty()));
        Ok(Prepared { template: Some(template), command: Some(command), types, columns, planned })
    }

    /// The rows of the plan that was made when the statement was prepared: once, and only while the session sees the store as
    /// it was then.
    pub(super) fn take_rows(&self, session: &ServerSession) -> Result<Option<Portal>, PgError> {
        let Some(PlannedQuery { engine, text, plan }) = self.take_plan() else { return Ok(None) };
        let is_current = Arc::ptr_eq(&engine, &session.engine()?);
        Ok(is_current.then(|| Portal::planned(engine, plan, text)))
    }

    /// Keeps no plan: a client may have many statements that it does not use.
    pub(super) fn without_plan(self) -> Prepared {
        Prepared { planned: Mutex::default(), ..self }
    }

    fn take_plan(&self) -> Option<PlannedQuery> {
        // It is taken in one step, so what is there is whole after any panic.
        self.planned.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The columns of SHOW.
pub(super) fn shown_columns(name: &str) -> Vec<ResultColumn> {
    match name.eq_ignore_ascii_case("all") {
        true => ["name", "setting", "description"].iter().map(|name| ResultColumn::new(name, Type::TEXT)).collect(),
        false => vec![ResultColumn::new(name, Type::TEXT)],
    }
}

/// 0 is a type that the client does not know.
fn known_type(oid: u32) -> Option<Type> {
    match oid {
        0 => None,
        oid => Type::from_oid(oid).filter(|kind| *kind != Type::UNKNOWN),
    }
}

/// Plans a query whose parameters have no values yet. A parameter that must be a constant makes the
/// plan fail: examples take its place, first a number, then a text.
async fn infer(
    session: &ServerSession,
    query: &str,
    declared: &[Option<Type>],
) -> Result<(Vec<Type>, Option<PlannedQuery>), PgError> {
    let Some(template) = split_script(query)?.pop().map(|statement| statement.template()) else {
        return Ok((vec![], None));
    };
    let mut first_error = None;
    for unknown in [None, Some(Type::INT8), Some(Type::TEXT)] {
        let text = template.with(|number| {
            let kind = declared.get(number - 1).and_then(Option::as_ref).or(unknown.as_ref());
            let example = kind.map(|kind| literal(&example(kind, number)).unwrap_or_else(|_| "NULL".to_string()));
            example.unwrap_or_else(|| format!("${number}"))
        });
        match plan(session, &text).await {
            Ok(planned) => {
                let found = planned.plan.get_parameter_types().unwrap_or_default();
                let types = declared.iter().enumerate().map(|(index, kind)| {
                    let found = found.get(&format!("${}", index + 1)).and_then(Option::as_ref).map(type_of_parameter);
                    kind.clone().or(found).or(unknown.clone()).unwrap_or(Type::TEXT)
                });
                return Ok((types.collect(), Some(planned)));
            }
            Err(error) if declared.iter().all(Option::is_some) => return Err(error),
            Err(error) => _ = first_error.get_or_insert(error),
        }
    }
    Err(first_error.unwrap_or_else(|| PgError::syntax("the statement cannot be planned")))
}

fn type_of_parameter(data_type: &DataType) -> Type {
    type_of(&Arc::new(Field::new("parameter", data_type.clone(), true)))
}

/// Plans a query; it runs when its first row is asked for.
pub(super) async fn open(session: &ServerSession, text: &str) -> Result<Portal, PgError> {
    let PlannedQuery { engine, text, plan } = plan(session, text).await?;
    Ok(Portal::planned(engine, plan, text))
}

/// Plans a query.
async fn plan(session: &ServerSession, text: &str) -> Result<PlannedQuery, PgError> {
    let engine = session.engine()?;
    let mut statement = statement(&engine, text).map_err(|error| PgError::located(error, text))?;
    if let Some(rewritten) = catalog::rewrite(&statement)? {
        statement = self::statement(&engine, &rewritten)?;
    }
    let planned = session.plan(&statement).await;
    let (engine, plan) = planned.map_err(|error| match statement.text() == text {
        true => PgError::located(error, text),
        // Places in another text mean nothing to the client.
        false => PgError::from(error),
    })?;
    Ok(PlannedQuery { engine, text: statement.text().to_string(), plan })
}

fn statement(engine: &Engine, text: &str) -> Result<Statement, ServerError> {
    let statements = engine.split(text).map_err(ServerError::of_parser)?;
    let only: Result<[Statement; 1], _> = statements.try_into();
    match only {
        Ok([statement]) => Ok(statement),
        Err(_) => Err(ServerError::syntax("one statement was expected")),
    }
}
