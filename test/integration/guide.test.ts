import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { REASONS } from '../../common/api/reasons.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { formatNeeds } from '../../webhook/reads/access.ts'
import { Page, wordsOf } from './document.ts'
import { DEADLINE_MS, forkOf, hasEndpoints, type Place, placeIn, usesProduct } from './product.ts'

const GUIDE = new Page('guide.md')
/** Without those that the page only compares itself with. */
const COMMANDS = GUIDE.inline().filter((inline) => !inline.startsWith('kubectl patch'))
const FIRST = 'kubectl apply -f faster-cart.yaml'
const IN_STOCK = '--namespace=stock'

describe('the guide, on the real control plane', () => {
  const place = usesProduct()
  let folder = ''
  let stock: Place

  before('its files, for the namespaces of this test', async () => {
    folder = await mkdtemp(join(tmpdir(), 'guide-'))
    stock = await placeIn(`stock-of-${place().namespace}`)
    await GUIDE.writeFiles(folder, (text) =>
      text
        .replaceAll(/(name: |namespace: |name=)stock(?=-sources|[,}])/g, `$1${stock.namespace}`)
        .replace('[shop]', `[${place().namespace}]`),
    )
  })
  after('its files and the consent are removed', async () => {
    await stock.api.delete(resourcePath(EXPERIMENT_POLICY, { name: `${stock.namespace}-sources` }))
    await rm(folder, { recursive: true })
  })

  /** The output of a command of the guide, with the namespaces of the guide. */
  async function run(command: string) {
    const [program, ...args] = wordsOf(command).map((word) =>
      word.replace(/^([\w-]+\.yaml)$/, join(folder, '$1')).replace(IN_STOCK, `--namespace=${stock.namespace}`),
    )
    expect(program).to.equal('kubectl')
    const { code, text } = await place().kubectl(args)
    return { code, text: text.replaceAll(stock.namespace, 'stock').replaceAll(place().namespace, 'shop') }
  }

  for (const step of GUIDE.steps()) {
    const { command } = step
    it(`A-8: runs ${command}, with the output that the page shows`, async function () {
      this.timeout(2 * DEADLINE_MS) // some commands wait for up to a minute
      const once = async () => {
        const { code, text } = await run(command)
        expect(code !== 0, text).to.equal(step.isRefused)
        GUIDE.expectOutput(step, text)
      }
      // a share is in the status a moment after the pods are ready
      // the webhook sees consent a moment after it is given
      const isLate = /^kubectl get|stock-cart\.yaml$/.test(command)
      await (isLate ? eventually('the output', DEADLINE_MS, once) : once())
      if (command.startsWith('kubectl rollout status'))
        await hasEndpoints(command.includes(IN_STOCK) ? stock : place(), 'cart', 3)
    })

    if (command === FIRST)
      for (const inline of COMMANDS)
        it(`can run ${inline}`, async () => {
          const found = await place().shows('faster-cart', 'a fork', ({ status }) => !!status?.experimentResourceRef)
          const named = inline.replace('NAME', 'faster-cart').replace('FORK', forkOf(found))
          const { code, text } = await run(/ delete /.test(named) ? `${named} --dry-run=server` : named)
          expect(code, text).to.equal(0)
        })
  }

  it('has run every command', () => {
    expect(GUIDE.steps().length).to.be.greaterThan(8)
    expect(GUIDE.steps().map(({ command }) => command)).to.include(FIRST)
    expect(COMMANDS.length).to.be.greaterThan(2)
    expect([...new Set(GUIDE.languages())].sort()).to.deep.equal(['console', 'yaml'])
  })

  it('quotes the refusal for missing permissions exactly', () => {
    const of = { resource: deployment, namespace: 'shop' }
    expect(GUIDE.text).to.contain(
      formatNeeds([
        { verb: 'create', ...of },
        { verb: 'get', ...of, name: 'cart' },
      ]),
    )
  })

  it('uses reasons of the vocabulary', () => {
    const said = [...GUIDE.text.matchAll(/says\s+`([A-Z]\w+)`/g)].map(([, word = '']) => word)
    expect(said).to.include('Expired')
    for (const word of said) expect(REASONS).to.have.property(word)
  })
})
