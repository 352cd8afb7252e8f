//! What the server says of itself: its name and abilities, and the types of SQL.

use arrow_flight::error::Result;
use arrow_flight::sql::metadata::{
    SqlInfoData, SqlInfoDataBuilder, XdbcTypeInfo, XdbcTypeInfoData, XdbcTypeInfoDataBuilder,
};
use arrow_flight::sql::{
    Nullable, Searchable, SqlInfo, SqlNullOrdering, SqlSupportedCaseSensitivity, SqlSupportedTransaction, XdbcDataType,
    XdbcDatetimeSubcode,
};

use crate::limits::ServerLimits;

/// Names, versions and abilities.
pub(super) fn info(limits: &ServerLimits) -> Result<SqlInfoData> {
    let mut info = SqlInfoDataBuilder::new();
    info.append(SqlInfo::FlightSqlServerName, "ocellus");
    info.append(SqlInfo::FlightSqlServerVersion, env!("CARGO_PKG_VERSION"));
    info.append(SqlInfo::FlightSqlServerArrowVersion, "1.3");
    info.append(SqlInfo::FlightSqlServerReadOnly, true);
    info.append(SqlInfo::FlightSqlServerSql, true);
    info.append(SqlInfo::FlightSqlServerSubstrait, false);
    info.append(SqlInfo::FlightSqlServerTransaction, SqlSupportedTransaction::None as i32);
    info.append(SqlInfo::FlightSqlServerCancel, true);
    info.append(SqlInfo::FlightSqlServerBulkIngestion, false);
    let milliseconds = i32::try_from(limits.query_time.as_millis()).unwrap_or(i32::MAX);
    info.append(SqlInfo::FlightSqlServerStatementTimeout, milliseconds);
    for absent in [
        SqlInfo::SqlDdlCatalog,
        SqlInfo::SqlDdlSchema,
        SqlInfo::SqlDdlTable,
        SqlInfo::SqlSelectForUpdateSupported,
        SqlInfo::SqlStoredProceduresSupported,
    ] {
        info.append(absent, false);
    }
    info.append(SqlInfo::SqlIdentifierCase, SqlSupportedCaseSensitivity::SqlCaseSensitivityLowercase as i64);
    info.append(SqlInfo::SqlIdentifierQuoteChar, "\"");
    info.append(SqlInfo::SqlAllTablesAreSelectable, true);
    info.append(SqlInfo::SqlNullOrdering, SqlNullOrdering::SqlNullsSortedHigh as i64);
    for present in [
        SqlInfo::SqlSupportsColumnAliasing,
        SqlInfo::SqlNullPlusNullIsNull,
        SqlInfo::SqlSupportsTableCorrelationNames,
        SqlInfo::SqlSupportsExpressionsInOrderBy,
        SqlInfo::SqlSupportsOrderByUnrelated,
        SqlInfo::SqlSupportsLikeEscapeClause,
        SqlInfo::SqlCorrelatedSubqueriesSupported,
    ] {
        info.append(present, true);
    }
    info.append(SqlInfo::SqlSchemaTerm, "trace");
    info.append(SqlInfo::SqlCatalogTerm, "catalog");
    info.build()
}

/// The types of SQL that clients meet.
pub(super) fn types() -> Result<XdbcTypeInfoData> {
    let mut types = XdbcTypeInfoDataBuilder::new();
    let quote = Some("'".to_string());
    let mut add = |name: &str,
                   data_type: XdbcDataType,
                   size: i32,
                   quote: Option<String>,
                   subcode: Option<XdbcDatetimeSubcode>| {
        let is_number = quote.is_none() && data_type != XdbcDataType::XdbcBit;
        types.append(XdbcTypeInfo {
            type_name: name.to_string(),
            data_type,
            column_size: Some(size),
            literal_prefix: quote.clone(),
            literal_suffix: quote,
            nullable: Nullable::NullabilityNullable,
            case_sensitive: data_type == XdbcDataType::XdbcVarchar,
            searchable: Searchable::Full,
            unsigned_attribute: is_number.then_some(false),
            local_type_name: Some(name.to_string()),
            sql_data_type: if subcode.is_some() { XdbcDataType::XdbcDatetime } else { data_type },
            datetime_subcode: subcode,
            num_prec_radix: is_number.then_some(2),
            ..XdbcTypeInfo::default()
        });
    };
    // In the order of their numbers, as the protocol wants it.
    add("BOOLEAN", XdbcDataType::XdbcBit, 1, None, None);
    add("TINYINT", XdbcDataType::XdbcTinyint, 8, None, None);
    add("BIGINT", XdbcDataType::XdbcBigint, 64, None, None);
    add("BYTEA", XdbcDataType::XdbcVarbinary, i32::MAX, quote.clone(), None);
    add("DECIMAL", XdbcDataType::XdbcDecimal, 76, None, None);
    add("INTEGER", XdbcDataType::XdbcInteger, 32, None, None);
    add("SMALLINT", XdbcDataType::XdbcSmallint, 16, None, None);
    add("REAL", XdbcDataType::XdbcReal, 24, None, None);
    add("DOUBLE", XdbcDataType::XdbcDouble, 53, None, None);
    add("TEXT", XdbcDataType::XdbcVarchar, i32::MAX, quote.clone(), None);
    // The code of a year is that of a date: the protocol gives one number to both.
    add("DATE", XdbcDataType::XdbcDate, 10, quote.clone(), Some(XdbcDatetimeSubcode::XdbcSubcodeYear));
    add("TIME", XdbcDataType::XdbcTime, 18, quote.clone(), Some(XdbcDatetimeSubcode::XdbcSubcodeTime));
    add("TIMESTAMP", XdbcDataType::XdbcTimestamp, 29, quote, Some(XdbcDatetimeSubcode::XdbcSubcodeTimestamp));
    types.build()
}
