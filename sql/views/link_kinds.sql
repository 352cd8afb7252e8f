-- What each link is: a message from point to point, or a part of a collective operation.
--
-- One row per link. Tracers that write collective operations as links mark them in their own ways, and the rules know
-- those of DUMPI and OTF2 (the value collective), Akypuera (1TA, AT1, ATA) and SimGrid (messages inside a collective
-- operation have a negative tag, the third number of the key). Every other link is from point to point.
--
-- Columns:
--   type        TEXT     Type of the link.
--   value       TEXT     Value of the link.
--   kind        TEXT     point to point or collective.
--   source_id   INTEGER  Where it starts.
--   source      TEXT     Name of that container.
--   target_id   INTEGER  Where it ends.
--   target      TEXT     Name of that container.
--   start_time  DOUBLE   When it starts, in seconds.
--   end_time    DOUBLE   End of it, in seconds.
--   duration    DOUBLE   How long it takes, in seconds.
--   volume      DOUBLE   What it carries; NULL when not recorded in the trace.
--   start_tick  BIGINT   When it starts, in ticks.
--   end_tick    BIGINT   When it ends, in ticks.
--
-- Example:
--   SELECT kind, value, count(*) AS links, sum(volume) AS volume
--   FROM link_kinds
--   GROUP BY kind, value
--   ORDER BY kind, value
SELECT
    type,
    value,
    CASE
        WHEN regexp_like(value, '^(collective|1TA|AT1|ATA)$') THEN 'collective'
        WHEN regexp_like(key, '^[0-9]+_[0-9]+_-[0-9]+_[0-9]+$') THEN 'collective'
        ELSE 'point to point'
    END AS kind,
    source_id,
    source,
    target_id,
    target,
    start_time,
    end_time,
    duration,
    volume,
    start_tick,
    end_tick
FROM links
