#!/usr/bin/env python3
"""Writes traces/nsight.sqlite and traces/rocpd.db: python3 tests/oracles/gpu.py

The databases are written by SQLite. What they must become is worked out by hand in tests/sql/formats/nsight.slt and rocpd.slt.
"""
import os
import sqlite3

ROOT = os.path.join(os.path.dirname(__file__), "../../traces")


def database(name, script):
    path = os.path.join(ROOT, name)
    if os.path.exists(path):
        os.remove(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA page_size = 512")
    connection.executescript(script)
    connection.close()


def thread(pid, tid):
    return 1 << 48 | pid << 24 | tid


ONE, TWO = thread(100, 101), thread(200, 201)
PROCESS = thread(100, 0)
# A string that is longer than a page: it goes on on others.
LONG = "kernel<" + "template argument, " * 26 + ">"
database("nsight.sqlite", f"""
CREATE TABLE META_DATA_EXPORT (name, value);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.13.2');
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000500000000);
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMalloc_v3020'), (3, 'axpy'), (4, '{LONG}'),
    (5, 'MPI_Send'), (6, 'MPI_Irecv'), (7, 'MPI_Wait'), (8, 'setup');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
    start, -- REFERENCES nothing, (really)
    end, globalTid, correlationId, nameId, returnValue);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1200, {ONE}, 7, 1, 0), (500, 700, {ONE}, 6, 2, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,
    correlationId, globalPid, demangledName, shortName, gridX);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1500, 2500, 0, 1, 7, 7, {PROCESS}, 4, 3, 64);
CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId,
    domainId, int64Value);
INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, 'solver', {ONE}, NULL, 2, NULL), (2, NULL, 39, 'main', {ONE}, NULL, 0, NULL),
    (400, 800, 59, NULL, {ONE}, 8, 2, -5), (900, NULL, 34, 'here', {ONE}, NULL, 0, NULL);
CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid);
INSERT INTO SCHED_EVENTS VALUES (450, 2, 0, {ONE}), (550, 3, 1, {ONE}), (750, 3, 0, {ONE});
CREATE TABLE MPI_RANKS (globalTid, rank);
INSERT INTO MPI_RANKS VALUES ({ONE}, 0), ({TWO}, 1);
CREATE TABLE MPI_P2P_EVENTS (start, end, globalTid, textId, commHandle, tag,
    remoteRank, size, requestHandle);
INSERT INTO MPI_P2P_EVENTS VALUES (3000, 3100, {ONE}, 5, 44, 9, 1, 4096, NULL), (2900, 2950, {TWO}, 6, 44, 9, 0, 4096, 55);
CREATE TABLE MPI_START_WAIT_EVENTS (start, end, globalTid, textId, requestHandle);
INSERT INTO MPI_START_WAIT_EVENTS VALUES (3050, 3300, {TWO}, 7, 55), (3050, 3300, {TWO}, 7, 56);
""")
database("rocpd.db", """
CREATE TABLE rocpd_metadata_ab (id INTEGER PRIMARY KEY, tag, value);
INSERT INTO rocpd_metadata_ab VALUES (1, 'schema_version', '3');
CREATE TABLE rocpd_string_ab (id INTEGER PRIMARY KEY, string);
INSERT INTO rocpd_string_ab VALUES (1, 'hipLaunchKernel'), (2, 'HIP_RUNTIME_API_EXT'), (3, 'MEMORY_COPY_HOST_TO_DEVICE');
CREATE TABLE rocpd_info_node_ab (id INTEGER PRIMARY KEY, hostname);
INSERT INTO rocpd_info_node_ab VALUES (1, 'node9');
CREATE TABLE rocpd_info_process_ab (id INTEGER PRIMARY KEY, nid, pid, command, environment);
INSERT INTO rocpd_info_process_ab VALUES (1, 1, 700, 'solver --fast', '{"TOKEN": "secret"}');
CREATE TABLE rocpd_info_thread_ab (id INTEGER PRIMARY KEY, nid, pid, tid, name);
INSERT INTO rocpd_info_thread_ab VALUES (1, 1, 1, 701, 'main');
CREATE TABLE rocpd_info_agent_ab (id INTEGER PRIMARY KEY, type, name);
INSERT INTO rocpd_info_agent_ab VALUES (1, 'CPU', 'cpu'), (2, 'GPU', 'gfx90a');
CREATE TABLE rocpd_info_kernel_symbol_ab (id INTEGER PRIMARY KEY, display_name);
INSERT INTO rocpd_info_kernel_symbol_ab VALUES (1, 'axpy');
CREATE TABLE rocpd_event_ab (id INTEGER PRIMARY KEY, category_id, stack_id);
INSERT INTO rocpd_event_ab VALUES (1, 2, 11), (2, NULL, 11), (3, NULL, 12);
CREATE TABLE rocpd_region_ab (id INTEGER PRIMARY KEY, nid, pid, tid, start, end, name_id,
    event_id);
INSERT INTO rocpd_region_ab VALUES (1, 1, 1, 1, 1000, 1100, 1, 1);
CREATE TABLE rocpd_kernel_dispatch_ab (id INTEGER PRIMARY KEY, nid, pid, tid, agent_id, kernel_id,
    queue_id, stream_id, start, end, grid_size_x, event_id);
INSERT INTO rocpd_kernel_dispatch_ab VALUES (1, 1, 1, 1, 2, 1, 16, 3, 1200, 1700, 256, 2);
CREATE TABLE rocpd_memory_copy_ab (id INTEGER PRIMARY KEY, nid, pid, tid, start, end, name_id,
    src_agent_id, dst_agent_id, size, queue_id, stream_id, event_id);
INSERT INTO rocpd_memory_copy_ab VALUES (1, 1, 1, 1, 800, 900, 3, 1, 2, 4096, 16, NULL, 3);
""")
