/* Writes an OTF2 archive for formats.py: cc otf2_writer.c -lotf2; ./a.out FOLDER CALLS LOCATIONS
 *
 * Each location enters and leaves one of 50 regions, one call per microsecond, 700 ns long. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

static OTF2_FlushType before_flush( void* data, OTF2_FileType type, OTF2_LocationRef location, void* caller, bool final )
{
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush( void* data, OTF2_FileType type, OTF2_LocationRef location )
{
    return 0;
}

static OTF2_FlushCallbacks flushing = { .otf2_pre_flush = before_flush, .otf2_post_flush = after_flush };

int main( int count, char** words )
{
    if ( count != 4 )
    {
        return 2;
    }
    uint64_t calls = strtoull( words[ 2 ], NULL, 10 ), locations = strtoull( words[ 3 ], NULL, 10 );
    OTF2_Archive* archive = OTF2_Archive_Open( words[ 1 ], "traces", OTF2_FILEMODE_WRITE, 1024 * 1024, 4 * 1024 * 1024,
                                               OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE );
    OTF2_Archive_SetFlushCallbacks( archive, &flushing, NULL );
    OTF2_Archive_SetSerialCollectiveCallbacks( archive );
    OTF2_Archive_OpenEvtFiles( archive );
    for ( uint64_t location = 0; location < locations; location++ )
    {
        OTF2_EvtWriter* events = OTF2_Archive_GetEvtWriter( archive, location );
        for ( uint64_t call = 0; call < calls / locations; call++ )
        {
            OTF2_EvtWriter_Enter( events, NULL, call * 1000, ( call + location ) % 50 );
            OTF2_EvtWriter_Leave( events, NULL, call * 1000 + 700, ( call + location ) % 50 );
        }
        OTF2_Archive_CloseEvtWriter( archive, events );
    }
    OTF2_Archive_CloseEvtFiles( archive );
    OTF2_Archive_OpenDefFiles( archive );
    for ( uint64_t location = 0; location < locations; location++ )
    {
        OTF2_Archive_CloseDefWriter( archive, OTF2_Archive_GetDefWriter( archive, location ) );
    }
    OTF2_Archive_CloseDefFiles( archive );
    OTF2_GlobalDefWriter* names = OTF2_Archive_GetGlobalDefWriter( archive );
    OTF2_GlobalDefWriter_WriteClockProperties( names, 1000000000, 0, calls / locations * 1000 + 1, OTF2_UNDEFINED_TIMESTAMP );
    OTF2_GlobalDefWriter_WriteString( names, 0, "" );
    OTF2_GlobalDefWriter_WriteString( names, 1, "machine" );
    OTF2_GlobalDefWriter_WriteString( names, 2, "node" );
    OTF2_GlobalDefWriter_WriteSystemTreeNode( names, 0, 1, 2, OTF2_UNDEFINED_SYSTEM_TREE_NODE );
    char name[ 32 ];
    for ( uint32_t region = 0; region < 50; region++ )
    {
        snprintf( name, sizeof( name ), "region_%u", region );
        OTF2_GlobalDefWriter_WriteString( names, 3 + region, name );
        OTF2_GlobalDefWriter_WriteRegion( names, region, 3 + region, 3 + region, 0, OTF2_REGION_ROLE_FUNCTION,
                                          OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0 );
    }
    for ( uint64_t location = 0; location < locations; location++ )
    {
        uint32_t text = 100 + 2 * location;
        snprintf( name, sizeof( name ), "rank %llu", ( unsigned long long )location );
        OTF2_GlobalDefWriter_WriteString( names, text, name );
        snprintf( name, sizeof( name ), "thread %llu", ( unsigned long long )location );
        OTF2_GlobalDefWriter_WriteString( names, text + 1, name );
        OTF2_GlobalDefWriter_WriteLocationGroup( names, location, text, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                 OTF2_UNDEFINED_LOCATION_GROUP );
        OTF2_GlobalDefWriter_WriteLocation( names, location, text + 1, OTF2_LOCATION_TYPE_CPU_THREAD,
                                            calls / locations * 2, location );
    }
    OTF2_Archive_Close( archive );
    return 0;
}
