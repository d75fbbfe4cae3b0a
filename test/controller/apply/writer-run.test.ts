import { expect } from 'chai'
import { ANALYSIS_RUN, CR_NAME } from '../../../common/api/names.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/memory/written-versions.ts'

const run = {
  apiVersion: ANALYSIS_RUN.apiVersion,
  kind: ANALYSIS_RUN.kind,
  metadata: { namespace: 'shop', name: 'cart-experiment-cd1aa1c99c-0123456789', labels: { [CR_NAME]: 'faster-cart' } },
}

/** The versions of runs for which the next pass over an experiment waits. */
async function awaited(key: string): Promise<readonly string[]> {
  const versions: string[] = []
  const runs = {
    caughtUp: async (version: string) => {
      versions.push(version)
    },
  }
  const written = new WrittenVersions({
    experiments: { caughtUp: async () => undefined },
    forks: () => undefined,
    runs,
  })
  let version = 0
  const client = {
    request: async () => {
      version += 1
      return { ...run, metadata: { ...run.metadata, resourceVersion: `${version}` } }
    },
  }
  const writer = new Writer({
    client,
    signal: new AbortController().signal,
    written: written.of('shop/faster-cart'),
    doubt: () => undefined,
  })
  await writer.write({ verb: 'create', role: 'analysisRun', resource: ANALYSIS_RUN, object: run })
  const patch = { status: {} }
  await writer.write({
    verb: 'patch',
    role: 'analysisRun',
    resource: ANALYSIS_RUN,
    of: run,
    patch,
    subresource: 'status',
  })
  await written.caughtUp(key)
  return versions
}

describe('the writes of an analysis run', () => {
  it('are awaited by the next pass over its experiment: it would look again at what is old', async () =>
    expect(await awaited('shop/faster-cart')).to.deep.equal(['1', '2']))

  it('are not awaited by others', async () => expect(await awaited('shop/other')).to.deep.equal([]))
})
