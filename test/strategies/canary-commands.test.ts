import { expect } from 'chai'
import { COMMAND } from '../../common/api/names.ts'
import { imageOverride } from '../builders.ts'
import { canariesIn } from '../integration/canaries.ts'
import { aSource, DEADLINE_MS, hasEndpoints, installation, type Place, usesProduct } from '../integration/product.ts'

const TWO_PAUSES = [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }, { pause: {} }]
const SLOW = { 'sandbox.experiment-controller.example.com/behavior': 'slow' }

describe('commands to a canary, on the real control plane', () => {
  const place = usesProduct()
  const { canary, hasPods, podsOf, say, says, setStatus, shows } = canariesIn(place)
  const atFirstPause = async (name: string) => {
    await aSource(place(), name, { replicas: 4 })
    await hasEndpoints(place(), name, 4)
    await canary(name, TWO_PAUSES)
    return shows(name, '1/7 Paused')
  }
  /** Annotates directly, without what kubectl does. */
  const annotate = (name: string, text: string): ReturnType<Place['api']['patch']> =>
    place().api.patch(place().path('experiments', name), { metadata: { annotations: { [COMMAND]: text } } })
  const stampOf = async (name: string, step: number, at = new Date()) => {
    const { status } = await place().experimentAt(name)
    return `step=${step} revision=${status?.strategy?.revision} at=${at.toISOString()}`
  }
  const answered = (name: string, answer: string) =>
    place().shows(name, answer, ({ status }) => status?.strategy?.command?.answer === answer)
  /** Runs `work` while the API server calls no webhook of the product. */
  const withoutWebhooks = async (work: () => Promise<unknown>) => {
    const { removeWebhooks, restoreWebhooks } = await installation()
    await removeWebhooks()
    await work().finally(restoreWebhooks)
  }

  it('Two resumes within one second move one step', async () => {
    await aSource(place(), 'twice', { replicas: 4 })
    await hasEndpoints(place(), 'twice', 4)
    // pods that start slowly, so that the run is in its next step when the second command is read
    const overrideSpec = { template: { metadata: { annotations: SLOW } } }
    await canary('twice', TWO_PAUSES, { overrideSpec })
    await shows('twice', '1/7 Paused')
    const said = await Promise.allSettled([1, 2].map(() => annotate('twice', 'resume')))
    expect(said.map(({ status }) => status)).to.include('fulfilled')
    const found = await place().shows('twice', 'the next step', ({ status }) => status?.strategy?.stepIndex === 2)
    expect(found.status?.strategy?.step).to.equal('2/7 Progressing')
    const after = await shows('twice', '3/7 Paused')
    expect(after.status?.strategy?.command).to.deep.include({ verb: 'resume', by: 'admin' })
    expect(await podsOf('twice')).to.equal(4)
    const again = await say('twice', `resume ${await stampOf('twice', 1)}`)
    expect(again.code).to.equal(1)
  })

  it('Two resumes one after the other: the second is refused while nothing is paused', async () => {
    await aSource(place(), 'hasty', { replicas: 4 })
    await hasEndpoints(place(), 'hasty', 4)
    await canary('hasty', TWO_PAUSES, { overrideSpec: { template: { metadata: { annotations: SLOW } } } })
    await shows('hasty', '1/7 Paused')
    await says('hasty', 'resume')
    await shows('hasty', '2/7 Progressing')
    const { code, text } = await say('hasty', 'resume')
    expect(code).to.equal(1)
    expect(text).to.contain('resume: nothing is paused; step 3 of 7, Progressing')
  })

  it('A command with the stamp of another step or revision is refused by the webhook, and stale without it', async () => {
    await atFirstPause('stale')
    const other = `resume ${await stampOf('stale', 0)}`
    const text = 'resume was given at step 1; the run is at step 2 of 7, Paused; repeat it if you still mean it'
    expect(await say('stale', other)).to.deep.include({ code: 1 })
    expect((await say('stale', other)).text).to.contain(text)
    const old = `resume ${await stampOf('stale', 1, new Date(Date.now() - 120_000))}`
    expect((await say('stale', old)).text).to.contain('was not stamped in the last minute; use "resume" alone')
    await withoutWebhooks(() => annotate('stale', other))
    const found = await answered('stale', 'Stale')
    expect(found.status?.strategy).to.deep.include({ step: '1/7 Paused' })
    expect(found.status?.strategy?.command).to.deep.include({ verb: 'resume', message: text })
    await withoutWebhooks(() => annotate('stale', 'resume'))
    const refused = await answered('stale', 'Refused')
    expect(refused.status?.strategy).to.deep.include({ step: '1/7 Paused' })
    expect(refused.status?.strategy?.command?.message).to.contain('remove the annotation and set it again')
    // the same annotation again would be no change
    expect(await place().kubectl(['annotate', 'expd/stale', `${COMMAND}-`])).to.deep.include({ code: 0 })
    await says('stale', 'resume')
    await shows('stale', '3/7 Paused')
  })

  it('The status emptied in a pause: the run starts again, and obeys no old command', async () => {
    await atFirstPause('emptied')
    await says('emptied', 'resume')
    const before = await shows('emptied', '3/7 Paused')
    expect(await setStatus('emptied', null)).to.deep.include({ code: 0 })
    const after = await shows('emptied', '1/7 Paused')
    expect(after.status?.strategy).to.deep.include({ run: before.status?.strategy?.run })
    expect(after.status?.strategy?.command).to.deep.include({ verb: 'resume', answer: 'Stale' })
    await hasPods('emptied', 1)
    // emptied at the step of which the old command speaks
    expect(await setStatus('emptied', null)).to.deep.include({ code: 0 })
    const again = await shows('emptied', '1/7 Paused')
    expect(again.status?.strategy?.command).to.deep.include({ verb: 'resume', answer: 'Stale' })
    await says('emptied', 'resume')
    await shows('emptied', '3/7 Paused')
  })

  it('The status emptied after an abort: abort is still the last command, so the fork has no pods', async () => {
    await atFirstPause('dropped')
    await says('dropped', 'abort')
    await shows('dropped', '1/1 Aborted')
    expect(await setStatus('dropped', null)).to.deep.include({ code: 0 })
    await shows('dropped', '1/1 Aborted')
    await place().reaches('dropped', 'Aborted')
    await hasPods('dropped', 0)
    await says('dropped', 'retry')
    await shows('dropped', '1/7 Paused')
    expect(await setStatus('dropped', null)).to.deep.include({ code: 0 })
    await shows('dropped', '1/7 Paused')
  })

  it('A status of nonsense starts the run again', async () => {
    const { status } = await atFirstPause('nonsense')
    const strategy = { ...status?.strategy, stepIndex: 40 }
    expect(await setStatus('nonsense', { strategy })).to.deep.include({ code: 0 })
    await shows('nonsense', '1/7 Paused')
    await hasPods('nonsense', 1)
  })

  it('An abort is obeyed while the webhook does not answer, and says that nobody is known to have said it', async () => {
    await atFirstPause('alarm')
    const { webhook } = await installation()
    process.kill(webhook.pid, 'SIGSTOP')
    try {
      const resumed = await say('alarm', 'resume')
      expect(resumed.code, resumed.text).to.equal(1)
      await says('alarm', 'abort')
      const found = await shows('alarm', '1/1 Aborted')
      expect(found.status?.strategy?.command).to.deep.include({ verb: 'abort', answer: 'Done' })
      expect(found.status?.strategy?.command).to.not.have.property('by')
    } finally {
      process.kill(webhook.pid, 'SIGCONT')
    }
    await hasPods('alarm', 0)
  }).timeout(2 * DEADLINE_MS)

  it('Abort and pause are obeyed without the webhook, and other commands are refused', async () => {
    await atFirstPause('alone')
    await withoutWebhooks(async () => {
      await annotate('alone', 'retry')
      const refused = await answered('alone', 'Refused')
      expect(refused.status?.strategy?.command?.message).to.contain('retry must be set while the webhook is running')
      await annotate('alone', 'abort')
      await shows('alone', '1/1 Aborted')
    })
    await place().api.patch(place().path('experiments', 'alone'), {
      spec: { overrideSpec: imageOverride('registry.example/cart:2') },
    })
    // the old abort is not about the new run
    await shows('alone', '1/7 Paused')
    await hasPods('alone', 1)
  })

  it('A run that is paused by a command is still at its step after a restart of the controller, until it is resumed', async () => {
    await aSource(place(), 'held', { replicas: 4 })
    await hasEndpoints(place(), 'held', 4)
    await canary('held', [{ setWeight: 20 }, { pause: { duration: 3 } }, { setWeight: 50 }, { pause: {} }])
    await shows('held', '1/7 Paused')
    await says('held', 'pause')
    const held = await place().shows('held', 'PausedByCommand', ({ status }) => status?.strategy?.held === true)
    const { controller, startController } = await installation()
    await controller().stop('SIGKILL')
    await startController()
    const later = Date.parse(held.status?.strategy?.since ?? '') + 4_000
    await place().shows('held', 'the end of its pause', ({ status }) => {
      expect(status?.strategy?.stepIndex).to.equal(1)
      return Date.now() > later
    })
    await says('held', 'resume')
    await shows('held', '3/7 Paused')
  })

  it('N37i: A command in a manifest warns, on the client and by server-side apply, and that of a person does not', async () => {
    const { apiVersion, kind, spec } = await atFirstPause('synced')
    const metadata = { name: 'synced', annotations: { [COMMAND]: 'resume' } }
    const applies = async (...args: readonly string[]) => {
      const manifest = JSON.stringify({ apiVersion, kind, metadata, spec })
      const { code, text } = await place().kubectl(['apply', '--dry-run=server', '-f', '-', ...args], manifest)
      expect(code, text).to.equal(0)
      return text
    }
    const told = '[CommandIsDeclared] a command in a manifest is given again by each sync'
    expect(await applies()).to.contain(told)
    expect(await applies('--server-side', '--force-conflicts')).to.contain(told)
    const { code, text } = await say('synced', 'resume')
    expect(code, text).to.equal(0)
    expect(text).not.to.contain('CommandIsDeclared')
  })
})
