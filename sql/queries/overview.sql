-- The trace at a glance: the areas of space and time that behave alike, and what each mostly does.
--
-- Needs: states.
SELECT
    container_id,
    container,
    resources,
    start_time,
    end_time,
    mode,
    proportion
FROM spatiotemporal_partition(slices => 12, p => 0.8)
ORDER BY start_time, container_id, first_slice
