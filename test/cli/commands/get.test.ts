import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { FORK } from '../../builders.ts'
import { turn } from '../../virtual-time.ts'
import { aPlugin, FASTER_CART } from '../a-plugin.ts'
import { DETAILS, PAUSED } from '../some-details.ts'
import { aCondition, aSteered } from '../some-experiments.ts'

/** Runs the plugin until `until` holds, then interrupts it. */
async function watched(
  words: readonly string[],
  { plugin, until }: { plugin: (signal: AbortSignal) => ReturnType<typeof aPlugin>; until: () => boolean },
) {
  const interrupt = new AbortController()
  const running = plugin(interrupt.signal).run(...words)
  const look = setInterval(() => until() && interrupt.abort(new Error('interrupted')), 5)
  return running.finally(() => clearInterval(look))
}

describe('get', () => {
  it('shows an experiment with its fork, its pods and its analysis', async () => {
    const { code, out, err } = await aPlugin({ objects: DETAILS }).run('get', 'faster-cart')
    expect([code, err]).to.deep.equal([0, ''])
    const lines = out.split('\n')
    expect(lines.slice(0, 4)).to.deep.equal([
      'Name:      faster-cart in shop',
      'Status:    ‖ Paused  PauseDuration: until 2026-11-28T15:05:00Z (41m left), or until somebody resumes it',
      'To do:     No action needed. The run goes on at the time in the message, or when somebody resumes it.',
      '           or: kubectl experiment resume faster-cart --namespace=shop',
    ])
    expect(out).to.contain('\nTraffic:   service/cart  8%  1 of 13 endpoints\n')
    expect(out).to.contain('\nSteps:     ✔ 10% 1 of 13 pods (8%)   ‖ pause 1h   50% 12 of 24   pause until resumed')
    expect(lines.slice(lines.indexOf('') + 1)).to.deep.equal([
      'NAME                                       KIND                   STATUS     AGE  INFO',
      'faster-cart                                ExperimentDeployment   ‖ Paused   25m',
      '├── cart-experiment-cd1aa1c99c             Deployment             ✔ 1/1      25m',
      '│   └── cart-experiment-cd1aa1c99c-75-tnz  Pod                    ✔ Running  25m  ready, 0 restarts, node-2',
      '└── cart-experiment-cd1aa1c99c-a932ba8afd  ExperimentAnalysisRun  ◌ Wait     24m  20 looks, 1000 requests',
      '',
    ])
  })

  it('reads at most ten times for it, and finds it by the name of its fork', async () => {
    const { cluster, run } = aPlugin({ objects: DETAILS })
    expect((await run('get', 'faster-cart')).code).to.equal(0)
    expect(cluster.requests).to.have.length.within(6, 10)
    expect((await run('get', FORK)).out).to.contain('faster-cart in shop')
  })

  it('shows what it may not read as unread, and the rest', async () => {
    const { cluster, run } = aPlugin({ objects: DETAILS })
    cluster.forbidden.add('/api/v1/namespaces/shop/pods')
    const { code, out } = await run('get', 'faster-cart')
    expect(code).to.equal(0)
    expect(out).to.contain('Unread:    the pods of the fork: cannot list')
    expect(out).to.contain('20 looks')
  })

  it('gives documents and names to programs', async () => {
    const { run } = aPlugin({ objects: DETAILS })
    expect(JSON.parse((await run('get', 'faster-cart', '-o', 'json')).out)).to.deep.include({
      kind: 'ExperimentView',
      state: 'Paused',
    })
    expect((await run('get', 'faster-cart', '-o', 'yaml')).out).to.contain('\nstate: Paused\n')
    const { kind, items } = JSON.parse((await run('get', '-o', 'json')).out)
    expect([kind, items.length, items[0].name]).to.deep.equal(['ExperimentRowList', 1, 'faster-cart'])
    expect((await run('get', '-o', 'name')).out).to.equal(
      'experimentdeployment.experimentcontroller.example.com/faster-cart\n',
    )
  })

  it('says that there is none, on standard error', async () => {
    const { run } = aPlugin({ objects: {} })
    expect(await run('get')).to.deep.equal({ code: 0, out: '', err: 'No experiments found in namespace shop.\n' })
    expect((await run('get', '-A')).err).to.equal('No experiments found.\n')
  })

  it('lists one that cannot be read beside the others', async () => {
    const broken = { ...aSteered({ metadata: { name: 'broken', uid: 'b' } }), spec: { sourceRef: 7 } }
    const { out } = await aPlugin({
      objects: { [FASTER_CART]: PAUSED, [FASTER_CART.replace('faster-cart', 'broken')]: broken },
    }).run('get')
    expect(out).to.match(/~|◌ {2}broken .* Unreadable\n/)
    expect(out).to.contain('faster-cart')
  })

  it('prints a line for each change without a terminal', async () => {
    let out = ''
    let cluster: ReturnType<typeof aPlugin>['cluster'] | undefined
    const begin = (signal: AbortSignal) => {
      const plugin = aPlugin({
        objects: { [FASTER_CART]: PAUSED },
        io: {
          signal,
          out: (text) => {
            out += text
          },
        },
      })
      cluster = plugin.cluster
      return plugin
    }
    let step = 0
    const { code } = await watched(['get', '-w'], {
      plugin: begin,
      until: () => {
        if (step === 0 && cluster?.openWatches === 1) {
          step = 1
          cluster.put(FASTER_CART, PAUSED)
          cluster.put(FASTER_CART, aSteered())
          cluster.remove(FASTER_CART)
        }
        return out.includes('deleted')
      },
    })
    expect(code).to.equal(130)
    expect(out).to.equal(`2026-11-28T14:24:00Z shop/faster-cart Paused  PauseDuration  1/1  8%  1/7
2026-11-28T14:24:00Z shop/faster-cart Running  Available
2026-11-28T14:24:00Z shop/faster-cart deleted
`)
  })

  it('prints the name of one that is watched, without a terminal', async () => {
    let out = ''
    const { code } = await watched(['get', 'faster-cart', '-w', '-o', 'name'], {
      plugin: (signal) =>
        aPlugin({
          objects: DETAILS,
          io: {
            signal,
            out: (text) => {
              out += text
            },
          },
        }),
      until: () => out !== '',
    })
    expect(code).to.equal(130)
    expect(out).to.equal('experimentdeployment.experimentcontroller.example.com/faster-cart\n')
  })

  it('does not watch with --watch=false', async () => {
    expect((await aPlugin({ objects: DETAILS }).run('get', '--watch=false')).code).to.equal(0)
  })

  it('paints again on a terminal, and reads what belongs to an experiment again', async () => {
    const terminal = Object.assign(new PassThrough(), { columns: 100, rows: 40 })
    let painted = ''
    terminal.on('data', (chunk: Buffer) => {
      painted += chunk.toString()
    })
    let cluster: ReturnType<typeof aPlugin>['cluster'] | undefined
    const begin = (signal: AbortSignal) => {
      const plugin = aPlugin({ objects: DETAILS, io: { signal, terminal } })
      cluster = plugin.cluster
      return plugin
    }
    const failed = aSteered({ conditions: [aCondition('Ready', 'False', 'RolledBack')] })
    await watched(['get', 'faster-cart', '-w'], {
      plugin: begin,
      until: () => {
        if (painted.includes('1 of 13 endpoints') && cluster?.at(FASTER_CART)?.spec === PAUSED.spec)
          cluster.put(FASTER_CART, failed)
        return painted.includes('RolledBack')
      },
    })
    await turn()
    expect(stripVTControlCharacters(painted)).to.contain('✖ Failed  RolledBack')
    expect(painted).to.not.contain('\u001b[?25l') // the cursor is never hidden
  })

  it('cuts no name of what stays on a terminal', async () => {
    const terminal = Object.assign(new PassThrough(), { columns: 40, rows: 10 })
    for (const words of [['get'], ['get', 'faster-cart']]) {
      const [piped, there] = [aPlugin({ objects: DETAILS }), aPlugin({ objects: DETAILS, io: { terminal } })]
      expect(stripVTControlCharacters((await there.run(...words)).out)).to.equal((await piped.run(...words)).out)
    }
  })

  it('prints the same in ASCII, without titles', async () => {
    const { out } = await aPlugin({ objects: { [FASTER_CART]: PAUSED } }).run('get', '--ascii', '--no-headers')
    expect(out).to.equal('=  faster-cart  deployment/cart  1/1  8%  1/7  Wait  -  1h52m  PauseDuration, 41m left\n')
  })

  it('shows the evidence of an analysis', async () => {
    const { run } = aPlugin({ objects: DETAILS })
    expect((await run('analysis', 'faster-cart')).out).to.equal(`Verdict:  Wait  Waiting: needs about 9m more
Run:      cart-experiment-cd1aa1c99c-a932ba8afd

METRIC   VERDICT         EFFECT             HARM     SAFE          SAMPLES            SINCE
latency  ◌ Wait Waiting  +3% (-5% to +15%)  1 of 80  body 3 of 40  1000 beside 12000  19m
`)
    expect(JSON.parse((await run('analysis', 'faster-cart', '-o', 'json')).out).metrics[0]).to.not.have.property(
      'state',
    )
    expect((await aPlugin().run('analysis', 'faster-cart')).err).to.equal(
      'error: faster-cart has no analysis\nAdd spec.analysis to the experiment.\n',
    )
  })
})
