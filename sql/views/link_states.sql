-- The state a container was in when a link left it, and that of the other when it arrived.
--
-- The innermost state counts. A link has one row; where containers have several types of states, one for
-- each pair of them.
--
-- type               type of the link
-- value              value of the link
-- key                what matched its start to its end
-- source_id          the container where it started
-- source             name of that container
-- target_id          the container where it ended
-- target             name of that container
-- start_time         when it left
-- end_time           when it arrived
-- volume             what it carried; NULL when it does not tell
-- source_state_type  type of the state of the source
-- source_state       state of the source when the link left
-- target_state_type  type of the state of the target
-- target_state       state of the target when the link arrived
WITH departures AS (
    SELECT
        type,
        value,
        key,
        source_id,
        source,
        target_id,
        target,
        start_time,
        end_time,
        volume,
        type_right AS source_state_type,
        value_right AS source_state
    FROM interval_join(
        links,
        state_segments,
        by => 'source_id = container_id',
        kind => 'left',
        left_end => 'start_time'
    )
)
SELECT
    type,
    value,
    key,
    source_id,
    source,
    target_id,
    target,
    start_time,
    end_time,
    volume,
    source_state_type,
    source_state,
    type_right AS target_state_type,
    value_right AS target_state
FROM interval_join(
    departures,
    state_segments,
    by => 'target_id = container_id',
    kind => 'left',
    left_start => 'end_time'
)
