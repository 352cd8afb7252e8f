//! Which tables the catalogs have, with their columns: those of PostgreSQL 15.
//!
//! Tables that clients ask for and that hold nothing here (indexes, triggers, policies, …) take their
//! columns from datafusion-pg-catalog, or from a line below where it has none or others.

use std::sync::{Arc, LazyLock};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Schema};
use datafusion::catalog::{CatalogProviderList, MemoryCatalogProviderList};
use datafusion::common::Result;
use datafusion_pg_catalog::pg_catalog::context::EmptyContextProvider;
use datafusion_pg_catalog::pg_catalog::{ArrowTable, PG_CATALOG_TABLES, PgCatalogSchemaProvider};

use super::relations::ColumnEntry;
use super::table::{build, mark};
use super::types::{STATIC, TYPES, oid};

/// A table of the catalogs.
pub(super) struct SystemTable {
    pub(super) name: String,
    pub(super) columns: Arc<[ColumnEntry]>,
}

/// Tables of pg_catalog with rows of ours.
#[rustfmt::skip]
pub(super) const FILLED: &[(&str, &str)] = &[
    ("pg_namespace", "oid oid, nspname name, nspowner oid = 10, nspacl text[] = null"),
    ("pg_class", "oid oid, relname name, relnamespace oid, reltype oid = 0, reloftype oid = 0, relowner oid = 10, relam oid, \
        relfilenode oid = 0, reltablespace oid = 0, relpages int4 = 0, reltuples float4, relallvisible int4 = 0, reltoastrelid oid = 0, \
        relhasindex bool = false, relisshared bool = false, relpersistence char = p, relkind char, relnatts int2, relchecks int2 = 0, \
        relhasrules bool = false, relhastriggers bool = false, relhassubclass bool = false, relrowsecurity bool = false, \
        relforcerowsecurity bool = false, relispopulated bool = true, relreplident char = d, relispartition bool = false, \
        relrewrite oid = 0, relfrozenxid text = 0, relminmxid text = 0, relacl text[] = null, reloptions text[] = null, \
        relpartbound text = null"),
    ("pg_attribute", "attrelid oid, attname name, atttypid oid, attstattarget int4 = -1, attlen int2, attnum int2, attndims int4 = 0, \
        attcacheoff int4 = -1, atttypmod int4 = -1, attbyval bool, attalign char = d, attstorage char, attcompression char = '', \
        attnotnull bool, atthasdef bool = false, atthasmissing bool = false, attidentity char = '', attgenerated char = '', \
        attisdropped bool = false, attislocal bool = true, attinhcount int4 = 0, attcollation oid, attacl text[] = null, \
        attoptions text[] = null, attfdwoptions text[] = null, attmissingval text[] = null"),
    ("pg_proc", "oid oid, proname name, pronamespace oid, proowner oid = 10, prolang oid = 12, procost float4 = 1, prorows float4, \
        provariadic oid = 0, prosupport text = 0, prokind char, prosecdef bool = false, proleakproof bool = false, proisstrict bool = false, \
        proretset bool, provolatile char = s, proparallel char = s, pronargs int2, pronargdefaults int2, prorettype oid, \
        proargtypes text, proallargtypes oid[], proargmodes char[], proargnames text[], proargdefaults text, protrftypes oid[] = null, \
        prosrc text, probin text = null, prosqlbody text = null, proconfig text[] = null, proacl text[] = null"),
    ("pg_description", "objoid oid, classoid oid, objsubid int4, description text"),
    ("pg_database", "oid oid, datname name, datdba oid = 10, encoding int4 = 6, datlocprovider char = c, datistemplate bool = false, \
        datallowconn bool = true, datconnlimit int4 = -1, datfrozenxid text = 0, datminmxid text = 0, dattablespace oid = 1663, \
        datcollate text = C, datctype text = C, daticulocale text = null, datcollversion text = null, datacl text[] = null"),
    ("pg_roles", "rolname name, rolsuper bool = false, rolinherit bool = true, rolcreaterole bool = false, rolcreatedb bool = false, \
        rolcanlogin bool = true, rolreplication bool = false, rolconnlimit int4 = -1, rolpassword text = '********', \
        rolvaliduntil text = null, rolbypassrls bool = false, rolconfig text[] = null, oid oid = 10"),
    ("pg_authid", "oid oid = 10, rolname name, rolsuper bool = false, rolinherit bool = true, rolcreaterole bool = false, \
        rolcreatedb bool = false, rolcanlogin bool = true, rolreplication bool = false, rolbypassrls bool = false, \
        rolconnlimit int4 = -1, rolpassword text = null, rolvaliduntil text = null"),
    ("pg_user", "usename name, usesysid oid = 10, usecreatedb bool = false, usesuper bool = false, userepl bool = false, \
        usebypassrls bool = false, passwd text = '********', valuntil text = null, useconfig text[] = null"),
    ("pg_settings", "name text, setting text, unit text = null, category text = Ocellus, short_desc text = null, extra_desc text = null, \
        context text = internal, vartype text = string, source text = default, min_val text = null, max_val text = null, \
        enumvals text[] = null, boot_val text, reset_val text, sourcefile text = null, sourceline int4 = null, pending_restart bool = false"),
    ("pg_tables", "schemaname name, tablename name, tableowner name, tablespace name = null, hasindexes bool = false, hasrules bool = false, \
        hastriggers bool = false, rowsecurity bool = false"),
    ("pg_views", "schemaname name, viewname name, viewowner name, definition text"),
    ("pg_language", "oid oid, lanname name, lanowner oid = 10, lanispl bool = false, lanpltrusted bool = true, lanplcallfoid oid = 0, \
        laninline oid = 0, lanvalidator oid = 0, lanacl text[] = null, tableoid oid = 2612"),
    ("pg_tablespace", "oid oid, spcname name, spcowner oid = 10, spcacl text[] = null, spcoptions text[] = null"),
    ("pg_timezone_names", "name text, abbrev text, utc_offset text, is_dst bool = false"),
];

/// Tables of information_schema with rows of ours.
#[rustfmt::skip]
pub(super) const INFORMATION: &[(&str, &str)] = &[
    ("information_schema_catalog_name", "catalog_name name"),
    ("schemata", "catalog_name name, schema_name name, schema_owner name, default_character_set_catalog name = null, \
        default_character_set_schema name = null, default_character_set_name name = null, sql_path text = null"),
    ("tables", "table_catalog name, table_schema name, table_name name, table_type text, self_referencing_column_name name = null, \
        reference_generation text = null, user_defined_type_catalog name = null, user_defined_type_schema name = null, \
        user_defined_type_name name = null, is_insertable_into text = NO, is_typed text = NO, commit_action text = null"),
    ("columns", "table_catalog name, table_schema name, table_name name, column_name name, ordinal_position int4, column_default text = null, \
        is_nullable text, data_type text, character_maximum_length int4 = null, character_octet_length int4, numeric_precision int4, \
        numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type text = null, interval_precision int4 = null, \
        character_set_catalog name = null, character_set_schema name = null, character_set_name name = null, collation_catalog name = null, \
        collation_schema name = null, collation_name name = null, domain_catalog name = null, domain_schema name = null, domain_name name = null, \
        udt_catalog name, udt_schema name = pg_catalog, udt_name name, scope_catalog name = null, scope_schema name = null, scope_name name = null, \
        maximum_cardinality int4 = null, dtd_identifier name, is_self_referencing text = NO, is_identity text = NO, \
        identity_generation text = null, identity_start text = null, identity_increment text = null, identity_maximum text = null, \
        identity_minimum text = null, identity_cycle text = NO, is_generated text = NEVER, generation_expression text = null, is_updatable text = NO"),
    ("views", "table_catalog name, table_schema name, table_name name, view_definition text, check_option text = NONE, is_updatable text = NO, \
        is_insertable_into text = NO, is_trigger_updatable text = NO, is_trigger_deletable text = NO, is_trigger_insertable_into text = NO"),
    ("routines", "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name, routine_name name, \
        routine_type text = FUNCTION, data_type text, type_udt_catalog name, type_udt_schema name = pg_catalog, type_udt_name name, \
        routine_body text = EXTERNAL, routine_definition text, external_name text = null, external_language text = INTERNAL, \
        is_deterministic text = YES, sql_data_access text = 'READS SQL DATA', security_type text = INVOKER, as_locator text = null"),
    ("parameters", "specific_catalog name, specific_schema name, specific_name name, ordinal_position int4, parameter_mode text, is_result text = NO, \
        as_locator text = NO, parameter_name name, data_type text, udt_catalog name, udt_schema name = pg_catalog, udt_name name, \
        parameter_default text"),
    ("table_privileges", "grantor name, grantee name, table_catalog name, table_schema name, table_name name, privilege_type text = SELECT, \
        is_grantable text = NO, with_hierarchy text = NO"),
    ("enabled_roles", "role_name name"),
    ("key_column_usage", "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema name, \
        table_name name, column_name name, ordinal_position int4, position_in_unique_constraint int4"),
    ("table_constraints", "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema name, \
        table_name name, constraint_type text, is_deferrable text, initially_deferred text, enforced text, nulls_distinct text"),
    ("referential_constraints", "constraint_catalog name, constraint_schema name, constraint_name name, unique_constraint_catalog name, \
        unique_constraint_schema name, unique_constraint_name name, match_option text, update_rule text, delete_rule text"),
    ("constraint_column_usage", "table_catalog name, table_schema name, table_name name, column_name name, constraint_catalog name, \
        constraint_schema name, constraint_name name"),
    ("constraint_table_usage", "table_catalog name, table_schema name, table_name name, constraint_catalog name, constraint_schema name, \
        constraint_name name"),
    ("check_constraints", "constraint_catalog name, constraint_schema name, constraint_name name, check_clause text"),
    ("sequences", "sequence_catalog name, sequence_schema name, sequence_name name, data_type text, numeric_precision int4, \
        numeric_precision_radix int4, numeric_scale int4, start_value text, minimum_value text, maximum_value text, increment text, cycle_option text"),
    ("triggers", "trigger_catalog name, trigger_schema name, trigger_name name, event_manipulation text, event_object_catalog name, \
        event_object_schema name, event_object_table name, action_order int4, action_condition text, action_statement text, \
        action_orientation text, action_timing text"),
    ("domains", "domain_catalog name, domain_schema name, domain_name name, data_type text, domain_default text, udt_catalog name, \
        udt_schema name, udt_name name"),
    ("element_types", "object_catalog name, object_schema name, object_name name, object_type text, collection_type_identifier name, data_type text"),
    ("column_privileges", "grantor name, grantee name, table_catalog name, table_schema name, table_name name, column_name name, \
        privilege_type text, is_grantable text"),
    ("role_table_grants", "grantor name, grantee name, table_catalog name, table_schema name, table_name name, privilege_type text, \
        is_grantable text, with_hierarchy text"),
];

/// Tables without rows that datafusion-pg-catalog lacks, or has with columns of another release.
#[rustfmt::skip]
const EMPTY: &[(&str, &str)] = &[
    ("pg_collation", "oid oid, collname name, collnamespace oid, collowner oid, collprovider char, collisdeterministic bool, collencoding int4, \
        collcollate text, collctype text, colliculocale text, collversion text"),
    ("pg_constraint", "oid oid, conname name, connamespace oid, contype char, condeferrable bool, condeferred bool, convalidated bool, \
        conrelid oid, contypid oid, conindid oid, conparentid oid, confrelid oid, confupdtype char, confdeltype char, confmatchtype char, \
        conislocal bool, coninhcount int4, connoinherit bool, conkey int2[], confkey int2[], conpfeqop oid[], conppeqop oid[], conffeqop oid[], \
        confdelsetcols int2[], conexclop oid[], conbin text"),
    ("pg_index", "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool, indnullsnotdistinct bool, indisprimary bool, \
        indisexclusion bool, indimmediate bool, indisclustered bool, indisvalid bool, indcheckxmin bool, indisready bool, indislive bool, \
        indisreplident bool, indkey int2[], indcollation oid[], indclass oid[], indoption int2[], indexprs text, indpred text"),
    ("pg_indexes", "schemaname name, tablename name, indexname name, tablespace name, indexdef text"),
    ("pg_matviews", "schemaname name, matviewname name, matviewowner name, tablespace name, hasindexes bool, ispopulated bool, definition text"),
    ("pg_sequences", "schemaname name, sequencename name, sequenceowner name, data_type text, start_value int8, min_value int8, max_value int8, \
        increment_by int8, cycle bool, cache_size int8, last_value int8"),
    ("pg_rules", "schemaname name, tablename name, rulename name, definition text"),
    ("pg_policies", "schemaname name, tablename name, policyname name, permissive text, roles text[], cmd text, qual text, with_check text"),
    ("pg_user_mappings", "umid oid, srvid oid, srvname name, umuser oid, usename name, umoptions text[]"),
    ("pg_publication_tables", "pubname name, schemaname name, tablename name, attnames text[], rowfilter text"),
    ("pg_seclabels", "objoid oid, classoid oid, objsubid int4, objtype text, objnamespace oid, objname text, provider text, label text"),
    ("pg_prepared_xacts", "transaction text, gid text, prepared text, owner name, database name"),
    ("pg_prepared_statements", "name text, statement text, prepare_time text, parameter_types text[], from_sql bool"),
    ("pg_cursors", "name text, statement text, is_holdable bool, is_binary bool, is_scrollable bool, creation_time text"),
    ("pg_locks", "locktype text, database oid, relation oid, pid int4, mode text, granted bool"),
    ("pg_available_extensions", "name name, default_version text, installed_version text, comment text"),
    ("pg_available_extension_versions", "name name, version text, installed bool, superuser bool, trusted bool, relocatable bool, schema name, \
        requires text[], comment text"),
    ("pg_group", "groname name, grosysid oid, grolist oid[]"),
    ("pg_shadow", "usename name, usesysid oid, usecreatedb bool, usesuper bool, userepl bool, usebypassrls bool, passwd text, valuntil text, \
        useconfig text[]"),
    ("pg_stat_activity", "datid oid, datname name, pid int4, usesysid oid, usename name, application_name text, client_addr text, \
        backend_start text, query_start text, state text, query text, backend_type text"),
    ("pg_stat_all_tables", "relid oid, schemaname name, relname name, seq_scan int8, n_live_tup int8, n_dead_tup int8"),
    ("pg_stat_user_tables", "relid oid, schemaname name, relname name, seq_scan int8, n_live_tup int8, n_dead_tup int8"),
    ("pg_stat_database", "datid oid, datname name, numbackends int4"),
    ("pg_stat_replication", "pid int4, usesysid oid, usename name, application_name text, state text"),
    ("pg_stat_ssl", "pid int4, ssl bool, version text, cipher text, bits int4"),
    ("pg_stat_gssapi", "pid int4, gss_authenticated bool, principal text, encrypted bool"),
    ("pg_statio_user_tables", "relid oid, schemaname name, relname name, heap_blks_read int8, heap_blks_hit int8"),
    ("pg_stats", "schemaname name, tablename name, attname name, null_frac float4, avg_width int4, n_distinct float4"),
    ("pg_replication_slots", "slot_name name, plugin name, slot_type text, datoid oid, database name, active bool"),
];

/// The tables of datafusion-pg-catalog, by name; those that list what is in a catalog list nothing.
static PROVIDER: LazyLock<PgCatalogSchemaProvider<Arc<dyn CatalogProviderList>, EmptyContextProvider>> =
    LazyLock::new(|| {
        let nothing: Arc<dyn CatalogProviderList> = Arc::new(MemoryCatalogProviderList::new());
        PgCatalogSchemaProvider::try_new(nothing, Arc::clone(&STATIC), EmptyContextProvider)
            .expect("a provider without catalogs: a test reads its tables")
    });

/// Whether a table never has a row here, and takes its columns from datafusion-pg-catalog.
fn is_empty_upstream(name: &str) -> bool {
    let is_ours = [FILLED, EMPTY].iter().any(|lines| is_listed(lines, name));
    PG_CATALOG_TABLES.contains(&name) && !is_ours && !UPSTREAM.contains(&name)
}

/// Whether lines of tables name one.
pub(super) fn is_listed(lines: &[(&str, &str)], name: &str) -> bool {
    lines.iter().any(|(listed, _)| *listed == name)
}

/// Tables whose rows are those of datafusion-pg-catalog: what does not depend on the store.
pub(super) const UPSTREAM: &[&str] = &["pg_am", "pg_range", "pg_type"];

/// Whether a table of pg_catalog never has a row.
pub(super) fn is_empty(name: &str) -> bool {
    is_empty_upstream(name) || is_listed(EMPTY, name)
}

/// Whether pg_catalog has a table of that name.
pub(super) fn is_known(name: &str) -> bool {
    PG_CATALOG_TABLES.contains(&name) || is_listed(EMPTY, name) || is_listed(FILLED, name)
}

/// The rows of a table that does not depend on the store.
pub(super) fn fixed_rows(name: &str) -> Option<Result<Vec<RecordBatch>>> {
    let all = |table: &ArrowTable| Ok(table.data().iter().map(mark).collect());
    match name {
        "pg_type" => return Some(Ok(vec![TYPES.rows.clone()])),
        "pg_am" => return Some(all(&STATIC.pg_am)),
        "pg_range" => return Some(all(&STATIC.pg_range)),
        _ => {}
    }
    if let Some((_, columns)) = EMPTY.iter().find(|(empty, _)| *empty == name) {
        return Some(build(columns, &[]).map(|rows| vec![rows]));
    }
    let table = is_empty_upstream(name).then(|| PROVIDER.build_table_by_name(name))?;
    table.map(|table| Some(vec![mark(&RecordBatch::new_empty(table?.schema()))])).transpose()
}

/// The tables of pg_catalog or information_schema.
pub(super) fn tables(schema: &str) -> Vec<SystemTable> {
    let of_lines = |lines: &[(&str, &str)]| -> Vec<SystemTable> {
        let table =
            |(name, columns): &(&str, &str)| build(columns, &[]).ok().map(|rows| described(name, &rows.schema()));
        lines.iter().filter_map(table).collect()
    };
    if schema != "pg_catalog" {
        return of_lines(INFORMATION);
    }
    let mut tables = of_lines(FILLED);
    tables.extend(of_lines(EMPTY));
    for name in PG_CATALOG_TABLES.iter().filter(|name| is_empty_upstream(name)).chain(UPSTREAM) {
        if let Some(Ok(rows)) = fixed_rows(name)
            && let Some(rows) = rows.first()
        {
            tables.push(described(name, &rows.schema()));
        }
    }
    tables
}

fn described(name: &str, schema: &Schema) -> SystemTable {
    let columns = schema.fields().iter().map(|field| ColumnEntry {
        name: field.name().clone(),
        kind: match field.data_type() {
            DataType::Boolean => oid::BOOL,
            DataType::Int16 => oid::INT2,
            DataType::Int32 if field.metadata().is_empty() => oid::INT4,
            DataType::Int32 => 26,
            DataType::Int64 => oid::INT8,
            DataType::Float32 => 700,
            DataType::List(item) if item.data_type() == &DataType::Int32 => 1028,
            DataType::List(_) => 1009,
            _ if !field.metadata().is_empty() => 18,
            _ => oid::TEXT,
        },
        is_nullable: true,
        doc: String::new(),
    });
    SystemTable { name: name.to_string(), columns: columns.collect() }
}

/// The numbers of catalogs that clients know by heart.
pub(super) fn number(name: &str) -> Option<i32> {
    let known = match name {
        "pg_type" => 1247,
        "pg_attribute" => 1249,
        "pg_proc" => 1255,
        "pg_class" => 1259,
        "pg_authid" => 1260,
        "pg_database" => 1262,
        "pg_tablespace" => 1213,
        "pg_am" => 2601,
        "pg_attrdef" => 2604,
        "pg_constraint" => 2606,
        "pg_description" => 2609,
        "pg_index" => 2610,
        "pg_inherits" => 2611,
        "pg_language" => 2612,
        "pg_namespace" => 2615,
        "pg_operator" => 2617,
        "pg_rewrite" => 2618,
        "pg_trigger" => 2620,
        "pg_extension" => 3079,
        "pg_collation" => 3456,
        "pg_policy" => 3256,
        "pg_enum" => 3501,
        _ => return None,
    };
    Some(known)
}
