-- Which containers deviate from those of the same type and depth, and when: in 100 slices of the trace.
--
-- Rows are those of state_deviations at least two standard deviations away from the mean, whose distance from it also
-- matters: it is at least a thousandth of the run, a tenth of the slice. Without that, one container that alone makes a
-- call of a microsecond would be as far away as possible. Both limits are a billionth lower, for rounding. Of n
-- containers nobody can be more than sqrt(n - 1) standard deviations away, so that groups of less than five have no
-- rows; neither have those that are equal to each other. To compare with siblings only, see sibling_stragglers; for
-- another distance, start from state_deviations.
--
-- Columns:
--   slice         BIGINT   Slice index, from 0.
--   slice_start   DOUBLE   Start of the slice, in seconds.
--   slice_end     DOUBLE   End of the slice, in seconds.
--   container_id  INTEGER  The container that deviates.
--   container     TEXT     Name of it.
--   type          TEXT     Type of the state.
--   value         TEXT     The state in which it spends more or less time than the others.
--   seconds       DOUBLE   Its time in the state, within the slice.
--   mean_seconds  DOUBLE   The mean of all containers of its type and depth, itself included.
--   z_score       DOUBLE   How many standard deviations above the mean; negative when below.
--   containers    BIGINT   How many containers are compared, itself included.
--   siblings      BIGINT   How many of them have its parent, itself included.
--
-- Example:
--   SELECT slice_start, container, value, seconds, mean_seconds, z_score
--   FROM stragglers
--   ORDER BY value

--   host-0/rank-0  ####.
--   host-1/rank-1  ####.     rank-5 deviates in the last slice: one of eight,
--   host-5/rank-5  #####     it is sqrt(7) = 2.6 standard deviations above the mean
-- A sum of DOUBLE depends on the order in which slices were added up. What is exactly two standard deviations away, as
-- one of five or two of ten that alone are in a state, must not depend on it: a billionth less is as good.
SELECT
    slice,
    slice_start,
    slice_end,
    container_id,
    container,
    type,
    value,
    seconds,
    mean_seconds,
    z_score,
    containers,
    siblings
FROM state_deviations
WHERE abs(z_score) >= 2 - 1e-9
    AND abs(seconds - mean_seconds) >= (0.1 - 1e-9) * (slice_end - slice_start)
