//! A database: its pages, its tables, and the rows of a table.
//!
//! ```text
//! page 5   interior: (child page, row number)* and the last child
//! page 13  leaf: (length, row number, record, first overflow page)*
//! ```
//! In: a file. Out: rows in the order of their numbers, with what could not be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use super::record::{values, varint};
use super::schema;
use crate::error::{Error, Result};
use crate::reader::TraceOrigin;
use crate::reader::table_rows::{RowConsumer, SourceTable, TableRow, TableValue};

/// The first bytes of a database.
pub(in crate::reader) const MAGIC: &[u8] = b"SQLite format 3\0";
/// The deepest tree that makes sense.
const DEEPEST: usize = 32;
/// How often all tables together may be read: tables that share pages could make a small file endless.
const MOST_SCANS: u64 = 16;
/// The longest row that is read.
const LONGEST_ROW: u64 = 64 << 20;

/// Where the rows of a table are, and which column is their number.
#[derive(Debug, Clone, Copy, Default)]
struct TableRoot {
    page: u32,
    row_number: Option<usize>,
}

/// An open database.
pub(in crate::reader) struct SqliteDatabase {
    file: File,
    page_size: usize,
    /// Bytes of a page that are used.
    usable: usize,
    pages: u64,
    /// Pages that may still be read: in the scan at hand, of which none comes twice, and in all of them.
    left_in_scan: u64,
    left: u64,
    pub tables: BTreeMap<String, SourceTable>,
    roots: HashMap<String, TableRoot>,
    /// Pages and rows that could not be read, with where they are; those of a table that is read twice are there once.
    pub damage: BTreeSet<(u64, String)>,
}

impl SqliteDatabase {
    /// Opens a database and reads which tables it has; one that is compressed is unpacked into a temporary file.
    pub fn open(origin: &TraceOrigin) -> Result<SqliteDatabase> {
        let failed = |source: io::Error| Error::Io { context: format!("cannot read {}", origin.name), source };
        let plain = origin.path().ok().and_then(|path| File::open(path).ok());
        let mut damage = BTreeSet::new();
        let mut file = match plain.and_then(with_magic) {
            Some(file) => file,
            None => {
                let mut file = tempfile::tempfile().map_err(failed)?;
                // A stream that breaks off leaves what came before.
                if let Err(error) = io::copy(&mut origin.reader()?, &mut file) {
                    damage.insert((origin.bytes, format!("the compressed stream is damaged: {error}")));
                }
                file
            }
        };
        if let Some(log) = origin.path().ok().map(write_ahead_log).filter(|log| has_content(log)) {
            let message = format!("{} holds changes that are not in the database yet", log.display());
            damage.insert((origin.bytes, message));
        }
        let mut head = [0; 100];
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        if file.read_exact(&mut head).is_err() || !head.starts_with(MAGIC) {
            return Err(Error::Trace(format!("{} is no SQLite database", origin.name)));
        }
        let page_size = match u16::from_be_bytes([head[16], head[17]]) {
            1 => 1 << 16,
            size => usize::from(size),
        };
        let usable = page_size.saturating_sub(usize::from(head[20]));
        if !page_size.is_power_of_two()
            || page_size < 512
            || usable < 480
            || u32::from_be_bytes([head[56], head[57], head[58], head[59]]) > 1
        {
            return Err(Error::Trace(format!("{} is a SQLite database that is damaged, or not in UTF-8", origin.name)));
        }
        let pages = len.div_ceil(page_size as u64);
        let (tables, roots) = (BTreeMap::new(), HashMap::new());
        let (left_in_scan, left) = (0, pages.saturating_mul(MOST_SCANS));
        let mut database = SqliteDatabase { file, page_size, usable, pages, left_in_scan, left, tables, roots, damage };
        database.read_tables()?;
        Ok(database)
    }

    fn read_tables(&mut self) -> Result<()> {
        let (mut tables, mut roots) = (BTreeMap::new(), HashMap::new());
        let root = TableRoot { page: 1, row_number: None };
        self.scan_table(&SourceTable::default(), root, &mut |row| {
            let (name, root, sql) = (row.at(1).text(), row.at(3).int(), row.at(4).text());
            if row.at(0).text() == Some("table")
                && let (Some(name), Some(page), Some(sql)) = (name, root.and_then(|root| u32::try_from(root).ok()), sql)
            {
                let columns = schema::columns(sql);
                roots.insert(name.to_string(), TableRoot { page, row_number: columns.row_number });
                tables.insert(name.to_string(), SourceTable::new(name, columns.names));
            }
            Ok(())
        })?;
        (self.tables, self.roots) = (tables, roots);
        Ok(())
    }

    /// Hands over the rows of a table; none when there is no such table.
    pub fn scan(&mut self, table: &str, take: &mut RowConsumer<'_>) -> Result<()> {
        match (self.tables.get(table).cloned(), self.roots.get(table).copied()) {
            (Some(table), Some(root)) => self.scan_table(&table, root, take),
            _ => Ok(()),
        }
    }

    fn scan_table(&mut self, table: &SourceTable, root: TableRoot, take: &mut RowConsumer<'_>) -> Result<()> {
        // Pages that are still to be read, the next one last, with their depth.
        let mut waiting = vec![(root.page, 0)];
        self.left_in_scan = self.pages.min(self.left);
        while let Some((number, depth)) = waiting.pop() {
            if depth > DEEPEST || self.left_in_scan == 0 {
                self.damage.insert((self.offset(number), "the pages of a table lead in a circle".to_string()));
                return Ok(());
            }
            let Some(page) = self.page(number) else {
                self.damage.insert((self.offset(number), format!("page {number} cannot be read")));
                continue;
            };
            let head = if number == 1 { 100 } else { 0 };
            let short =
                |at: usize| page.get(at..at + 2).map(|bytes| usize::from(u16::from_be_bytes([bytes[0], bytes[1]])));
            let long = |at: usize| {
                page.get(at..).and_then(|bytes| bytes.first_chunk()).map(|bytes| u32::from_be_bytes(*bytes))
            };
            // Each cell has two bytes that say where it is.
            let count = short(head + 3).unwrap_or(0).min(self.usable / 2);
            match page.get(head) {
                Some(5) => {
                    let mut children: Vec<u32> =
                        (0..count).filter_map(|cell| long(short(head + 12 + 2 * cell)?)).collect();
                    children.extend(long(head + 8));
                    waiting.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
                }
                Some(13) => {
                    // Rows do not share their bytes.
                    let mut room = self.usable;
                    for cell in 0..count {
                        let at = short(head + 8 + 2 * cell);
                        let row = at.and_then(|at| self.row(&page, at, &mut room, root));
                        match row {
                            Some(values) => {
                                take(TableRow { table, values: &values, byte: self.offset(number) })?;
                            }
                            None => {
                                let message = format!("row {cell} of page {number} cannot be read");
                                self.damage.insert((self.offset(number), message));
                            }
                        }
                    }
                }
                _ => {
                    self.damage.insert((self.offset(number), format!("page {number} is no page of a table")));
                }
            }
        }
        Ok(())
    }

    /// The values of the row that starts at a place of a leaf, of which some room is not taken yet.
    fn row(&mut self, page: &[u8], at: usize, room: &mut usize, root: TableRoot) -> Option<Vec<TableValue>> {
        let mut rest = page.get(at..self.usable)?;
        let len = varint(&mut rest)?;
        let number = varint(&mut rest)? as i64;
        if len > LONGEST_ROW {
            return None;
        }
        let len = len as usize;
        let local = self.local(len);
        *room = room.checked_sub(local)?;
        let mut record = rest.get(..local)?.to_vec();
        if local < len {
            let mut next = u32::from_be_bytes(*rest.get(local..)?.first_chunk()?);
            while record.len() < len {
                let page = self.page(next)?;
                next = u32::from_be_bytes(*page.first_chunk()?);
                let wanted = (len - record.len()).min(self.usable - 4);
                record.extend_from_slice(page.get(4..4 + wanted)?);
            }
        }
        let mut values = values(&record)?;
        if let Some(place) = root.row_number
            && let Some(value) = values.get_mut(place)
            && *value == TableValue::Null
        {
            *value = TableValue::Int(number);
        }
        Some(values)
    }

    /// How much of a record stands on its leaf; the rest is on further pages.
    fn local(&self, len: usize) -> usize {
        let most = self.usable - 35;
        if len <= most {
            return len;
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let fitting = least + (len - least) % (self.usable - 4);
        if fitting <= most { fitting } else { least }
    }

    fn offset(&self, page: u32) -> u64 {
        u64::from(page.saturating_sub(1)) * self.page_size as u64
    }

    fn page(&mut self, number: u32) -> Option<Vec<u8>> {
        self.left_in_scan = self.left_in_scan.checked_sub(1)?;
        self.left = self.left.saturating_sub(1);
        if number == 0 || u64::from(number) > self.pages {
            return None;
        }
        let mut page = vec![0; self.page_size];
        self.file.seek(SeekFrom::Start(self.offset(number))).ok()?;
        self.file.read_exact(&mut page).ok()?;
        Some(page)
    }
}

/// The file, if it is a database and not compressed.
fn with_magic(mut file: File) -> Option<File> {
    let mut head = [0; MAGIC.len()];
    file.read_exact(&mut head).ok()?;
    (head == *MAGIC).then_some(file)
}

/// Where SQLite keeps changes before it writes them into the database.
fn write_ahead_log(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_os_string();
    name.push("-wal");
    PathBuf::from(name)
}

fn has_content(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0)
}
