import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { hints } from '../../sandbox/hints.ts'
import { giveOrder, mistakeIn, takeOrders } from '../../sandbox/orders.ts'
import { run } from '../../sandbox/run.ts'
import { whyNoSimulation } from '../../sandbox/simulation.ts'
import { RATE } from '../../sandbox/traffic/steady.ts'

describe('an order to a sandbox', () => {
  let stateDirectory = ''
  const kubeconfig = () => join(stateDirectory, 'kubeconfigs', 'admin.yaml')
  beforeEach(() => {
    stateDirectory = mkdtempSync(join(tmpdir(), 'orders-'))
  })
  afterEach(() => rmSync(stateDirectory, { recursive: true }))

  const MISTAKES: readonly (readonly [string, string | undefined])[] = [
    ['restart controller', undefined],
    ['restart webhook', undefined],
    ['restart', 'restart what: controller or webhook'],
    ['restart kubelet', '"kubelet" cannot be restarted: controller or webhook'],
    ['restart constructor', '"constructor" cannot be restarted: controller or webhook'],
    ['restart controller webhook', '"webhook" is one word too many after restart'],
    ['requests cart', undefined],
    ['requests shop/cart 10000', undefined],
    ['requests', 'requests to which Service: NAMESPACE/NAME or NAME'],
    ['requests a/b/c', '"a/b/c" is not the name of a Service: NAMESPACE/NAME or NAME'],
    ['requests cart 0', '"0" is not a number of requests: 1 to 10000'],
    ['requests cart 10001', '"10001" is not a number of requests: 1 to 10000'],
    ['requests cart 1 2', '"2" is one word too many after requests'],
    ['start controller', '"start" is no order: restart or requests'],
  ]
  for (const [words, mistake] of MISTAKES)
    it(`N28: \`${words}\` ${mistake === undefined ? 'may be given' : `is refused: ${mistake}`}`, () =>
      expect(mistakeIn(words.split(' '))).to.equal(mistake))

  it('N28: is found by its kubeconfig, and answered with its words or those of its refusal', async () => {
    const taken: unknown[] = []
    const server = await takeOrders(stateDirectory, async (words) => {
      taken.push(words)
      if (words[0] === 'requests') throw new Error('start it with --traffic')
      return 'runs again'
    })
    expect(await giveOrder(kubeconfig(), ['restart', 'controller'])).to.equal('runs again')
    const refused = await giveOrder(kubeconfig(), ['requests', 'cart']).catch(String)
    expect(refused).to.equal('Error: start it with --traffic')
    expect(taken).to.deep.equal([
      ['restart', 'controller'],
      ['requests', 'cart'],
    ])
    server.close()
  })

  it('N28: says what to do where no sandbox runs, or none is named', async () => {
    const remedy = 'paste the two lines that `npm run sandbox` has printed into this terminal'
    const unheard = await giveOrder(kubeconfig(), ['restart', 'controller']).catch(String)
    expect(unheard).to.equal(`Error: no sandbox runs whose KUBECONFIG is ${kubeconfig()}: ${remedy}`)
    const { KUBECONFIG: _, ...env } = process.env
    const words = ['sandbox/main.ts', 'restart', 'controller']
    expect(await run(process.execPath, words, { env })).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: `KUBECONFIG is not set: ${remedy}\n`,
    })
  })

  it('N28: cannot have the options of a start', async () => {
    const words = ['sandbox/main.ts', 'restart', 'controller', '--product']
    const { code, stderr } = await run(process.execPath, words)
    expect({ code, stderr: stderr.split('\n')[0] }).to.deep.equal({ code: 2, stderr: 'options are not for "restart"' })
  })
})

describe('what a sandbox says', () => {
  const ALL = { product: true, traffic: true, prometheus: 'http://127.0.0.1:20001' }

  it('N28: names what runs and what to type next, which it then understands', () => {
    const text = hints(ALL)
    for (const words of ['our controller', 'namespace "shop"', RATE, ALL.prometheus, 'provider "prometheus"'])
      expect(text).to.contain(words)
    const orders = [...text.matchAll(/^ {2}npm run sandbox (.+)$/gm)].map(([, words = '']) => words.split(' '))
    expect(orders.map(([verb]) => verb)).to.deep.equal(['requests', 'restart'])
    expect(orders.flatMap((words) => mistakeIn(words) ?? [])).to.deep.equal([])
  })

  it('N28: names nothing that it does not have', () => {
    expect(hints({ ...ALL, prometheus: undefined })).not.to.contain('Prometheus')
    expect(hints({ ...ALL, product: false })).not.to.match(/our controller|restart|provider|analysis/)
    const alone = hints({ product: false, traffic: false, prometheus: undefined })
    expect(alone).not.to.match(/requests|slow|npm run/)
    expect(alone).to.contain('kubectl create deployment cart')
  })
})

describe('a sandbox with requests', () => {
  it('N28: is not started where a tool is missing, and says which option wants it', async function () {
    if (process.platform !== 'linux') return this.skip()
    const path = mkdtempSync(join(tmpdir(), 'tools-'))
    expect(await whyNoSimulation({ prometheus: false }, { path })).to.match(
      /^--traffic is not possible here: `unshare` was not found in .*apt-get install util-linux/,
    )
    for (const tool of ['unshare', 'nsenter', 'setpriv', 'ip', 'nft']) symlinkSync('/bin/true', join(path, tool))
    const program = 'no-such-prometheus'
    expect(await whyNoSimulation({ prometheus: true }, { path, program })).to.match(
      /^--prometheus is not possible here: `no-such-prometheus` was not found: install it/,
    )
    expect(await whyNoSimulation({ prometheus: false }, { path, program })).to.equal(undefined)
    rmSync(path, { recursive: true })
  })
})
