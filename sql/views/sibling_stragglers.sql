-- Which containers deviate from their siblings, and when: in 100 slices of the trace.
--
-- Siblings have the same parent, type and depth. Rows are those of state_deviations at least two standard deviations away
-- from the mean of the siblings, and by at least a thousandth of the run, a tenth of the slice, both limits a billionth
-- lower, for rounding; groups of less than five siblings have none. stragglers compares all containers of one type and
-- depth.
--
-- Columns:
--   slice         BIGINT   Slice index, from 0.
--   slice_start   DOUBLE   Start of the slice, in seconds.
--   slice_end     DOUBLE   End of the slice, in seconds.
--   parent_id     INTEGER  The parent of the siblings; NULL for roots.
--   parent        TEXT     Name of it.
--   container_id  INTEGER  The container that deviates.
--   container     TEXT     Name of it.
--   type          TEXT     Type of the state.
--   value         TEXT     The state in which it spends more or less time than its siblings.
--   seconds       DOUBLE   Its time in the state, within the slice.
--   mean_seconds  DOUBLE   The mean of all siblings, itself included.
--   z_score       DOUBLE   How many standard deviations above the mean; negative when below.
--   siblings      BIGINT   How many siblings there are, itself included.
--
-- Example:
--   SELECT slice_start, container, value, seconds, mean_seconds, z_score
--   FROM sibling_stragglers
--   ORDER BY value

-- What is exactly at a limit must not depend on the order in which sums of DOUBLE are added up; see stragglers.
SELECT
    slice,
    slice_start,
    slice_end,
    parent_id,
    parent,
    container_id,
    container,
    type,
    value,
    seconds,
    sibling_mean_seconds AS mean_seconds,
    sibling_z_score AS z_score,
    siblings
FROM state_deviations
WHERE abs(sibling_z_score) >= 2 - 1e-9
    AND abs(seconds - sibling_mean_seconds) >= (0.1 - 1e-9) * (slice_end - slice_start)
