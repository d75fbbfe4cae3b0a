import { expect } from 'chai'
import { observe } from '../../../controller/observe/observe.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'
import { KEY, NOW, observing as world } from './observing.ts'

describe('observe, when a fork has lost what marks it as ours', () => {
  it('R2: reads the fork whole when somebody has removed its labels, because the cache has only its metadata', async () => {
    const { metadata } = theFork()
    const cached = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...metadata, labels: {} } }
    const live = { ...theFork(), metadata: cached.metadata }
    const { facts, diary } = world({ cached, live })
    expect(await facts()).to.deep.include({ fork: { is: 'known', value: live }, nameHolder: undefined })
    expect(diary).to.include(`live shop/${FORK}`)
    expect(diary).to.not.include('doubt the cache')
  })

  it('F10: reads the fork live after a write reported that another object has its name', async () => {
    const live = { ...theFork(), metadata: { ...theFork().metadata, uid: 'another' } }
    const { facts, diary } = world({ cached: theFork(), live, isDoubted: true })
    expect((await facts()).fork).to.deep.equal({ is: 'known', value: live })
    expect(diary).to.include(`live shop/${FORK}`)
  })

  it('R2: reads the experiment live when its fork has lost its owner, because it may be orphaned on purpose', async () => {
    const { ownerReferences: _lost, ...metadata } = theFork().metadata
    const { ports, diary } = world({ cached: { ...theFork(), metadata } })
    const found = await observe(ports, KEY, NOW)
    expect([found?.fork.is, diary[0]]).to.deep.equal(['known', 'doubt the cache'])
    const get = async () => (diary.includes('doubt the cache') ? undefined : anExperiment())
    diary.length = 0
    expect(await observe({ ...ports, experiments: { ...ports.experiments, get } }, KEY, NOW)).to.equal(undefined)
  })
})
