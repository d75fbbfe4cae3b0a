import { expect } from 'chai'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { aPlugin, FASTER_CART } from '../a-plugin.ts'
import { aSteered, WHOLE_REVISION } from '../some-experiments.ts'

const commandOf = ({ cluster }: ReturnType<typeof aPlugin>): string | undefined =>
  cluster.at(FASTER_CART)?.metadata.annotations?.['experiment-controller.example.com/command']

describe('a command to a run', () => {
  it('is a dry run first, whose plan is printed, and then given', async () => {
    const plugin = aPlugin()
    plugin.cluster.warnings = ['[Plan] the run goes on with step 3 of 7: 50%', 'evil \u001b[2J\u202e']
    expect(await plugin.run('resume', 'faster-cart')).to.deep.equal({
      code: 0,
      out: '[Plan] the run goes on with step 3 of 7: 50%\nevil \\u001b[2J\\u202e\nfaster-cart: the command resume was given\n',
      err: '',
    })
    expect(plugin.cluster.writes.map(([line]) => line)).to.deep.equal([
      `dry run patch ${FASTER_CART}`,
      `patch ${FASTER_CART}`,
    ])
    expect(commandOf(plugin)).to.equal('resume step=2')
  })

  it('keeps the annotations of others', async () => {
    const experiment = aSteered({ run: {}, metadata: { annotations: { team: 'shop' } } })
    const plugin = aPlugin({ objects: { [FASTER_CART]: experiment } })
    await plugin.run('abort', 'expd/faster-cart')
    expect(plugin.cluster.at(FASTER_CART)?.metadata.annotations).to.include({ team: 'shop' })
    expect(commandOf(plugin)).to.equal('abort')
  })

  it('is not given when the run has gone on meanwhile, and says where it is', async () => {
    const plugin = aPlugin()
    plugin.cluster.beforeWrite = () => plugin.cluster.put(FASTER_CART, aSteered({ run: { stepIndex: 3 } }))
    expect(await plugin.run('resume', 'faster-cart')).to.deep.equal({
      code: 1,
      out: '',
      err: `error: faster-cart has changed meanwhile: it is now at step 4 of 7, Running
Look at it, and decide again: kubectl experiment get faster-cart --namespace=shop
`,
    })
    expect(commandOf(plugin)).to.equal(undefined)
  })

  it('is not given to another experiment of the same name', async () => {
    const plugin = aPlugin()
    plugin.cluster.beforeWrite = () =>
      plugin.cluster.put(FASTER_CART, aSteered({ run: {}, metadata: { uid: 'another' } }))
    const { code, err } = await plugin.run('abort', 'faster-cart')
    expect(code).to.equal(1)
    expect(err).to.contain('it is not there any more')
  })

  it('stops a run whose step has changed meanwhile', async () => {
    const plugin = aPlugin()
    plugin.cluster.beforeWrite = () => plugin.cluster.put(FASTER_CART, aSteered({ run: { stepIndex: 3 } }))
    expect((await plugin.run('pause', 'faster-cart')).code).to.equal(0)
  })

  it('needs --yes for promote where nobody can be asked, and sends nothing', async () => {
    const plugin = aPlugin()
    const { code, err } = await plugin.run('promote', 'faster-cart')
    expect([code, err]).to.deep.equal([
      2,
      `error: promote: there is no terminal to ask for confirmation
Add --yes, and --revision for the revision that is meant.
`,
    ])
    expect(plugin.cluster.requests).to.deep.equal([])
  })

  for (const [answer, code, command] of [
    ['y', 0, `promote ${WHOLE_REVISION}`],
    ['Yes ', 0, `promote ${WHOLE_REVISION}`],
    ['', 1, undefined],
    ['no', 1, undefined],
  ] as const)
    it(`${code === 0 ? 'promotes' : 'changes nothing'} if a person answers "${answer}"`, async () => {
      const plugin = aPlugin({ io: { ask: async () => answer } })
      expect((await plugin.run('promote', 'faster-cart')).code).to.equal(code)
      expect(commandOf(plugin)).to.equal(command)
    })

  it('is only for the revision that a script means', async () => {
    const plugin = aPlugin()
    const { code, err } = await plugin.run('promote', 'faster-cart', '--yes', '--revision', 'ffffffffff')
    expect([code, err.split('\n')[0]]).to.deep.equal([
      1,
      `error: faster-cart: the run has the revision ${WHOLE_REVISION}, not ffffffffff`,
    ])
    expect(plugin.cluster.writes).to.deep.equal([])
    const named = ['--revision', WHOLE_REVISION.slice(0, 10)]
    expect((await plugin.run('promote', 'faster-cart', '--yes', ...named)).code).to.equal(0)
  })

  it('prints every cause of a refusal', async () => {
    const plugin = aPlugin()
    plugin.cluster.refusal = new KubeError({
      ...{ kind: 'invalid', status: 422, message: 'all in one line' },
      causes: [
        { field: 'metadata.annotations', message: 'no promotion\u001b[31m' },
        { field: '', message: 'no right' },
      ],
    })
    expect(await plugin.run('resume', 'faster-cart')).to.deep.equal({
      code: 3,
      out: '',
      err: `error: the API server refused it for 2 reasons
  metadata.annotations: no promotion\\u001b[31m
  no right
Correct what is refused. Nothing was changed.
`,
    })
  })

  it('says which experiments there are if there is none of this name', async () => {
    const { code, err } = await aPlugin().run('pause', 'slow-cart')
    expect([code, err]).to.deep.equal([
      1,
      `error: there is no experiment slow-cart in namespace shop
To see those that exist: kubectl experiment get --namespace=shop
`,
    ])
  })
})
