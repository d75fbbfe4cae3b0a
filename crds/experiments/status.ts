import { ANALYSIS_STATUS_NOTE } from '../analysis/analysis.ts'
import type { Note } from '../schema/schema.ts'

/** What the members of a condition say to people. */
export const CONDITION_NOTES: Readonly<Record<string, Note>> = {
  type: 'What the condition is about.',
  status: 'True, False or Unknown.',
  reason: 'Why, in one word. docs/reasons.md says what to do about each.',
  message: 'Why, in a sentence.',
  observedGeneration: 'The metadata.generation that the condition is about.',
  lastTransitionTime: 'When the status of the condition last changed.',
}

const STORED_SOURCE = {
  uid: 'Its uid.',
  generation: 'Its metadata.generation.',
  hash: 'A hash of its spec without replicas. While it is the same, nobody changed the spec.',
}

const SERVICES: Note = {
  about: 'The Services that select the pods of the source or of the fork, by name, at most 32.',
  keys: ['name'],
  members: {
    name: 'The name of the Service.',
    selected: 'Whether the Service sends requests to the experiment.',
    reason: 'Why it does not, or what is special about it, in one word.',
    message: 'Why it does not, or what is special about it, in a sentence.',
    share: 'The fork\'s part of the ready endpoints, in whole percent or "<1%".',
    experimentEndpoints: 'The number of ready endpoints that are pods of the fork.',
    readyEndpoints: 'The number of ready endpoints of the Service, including those of the fork.',
  },
}

const RUN: Note = {
  about: 'The run of spec.strategy. The controller remembers here how far it is.',
  members: {
    run: 'A hash of what makes the run. An edit of the override or the strategy starts another.',
    wholeRun: 'The whole hash. Runs with another one are other runs.',
    revision: 'A hash of the pod template of the fork and of the run. A command has it in its stamp.',
    wholeRevision: 'The whole hash. An approval and the command "promote" name it.',
    approvedRevision: 'The whole revision that was approved, in the mode Manual.',
    path: 'Forward through the steps, Abort or Undo.',
    phase: 'Progressing, Paused, Promoted, Aborting, Aborted, Undoing or Undone.',
    stepIndex: 'The number of steps that are done.',
    stepName: 'The present step, such as "setWeight 20%".',
    since: 'When the present step began.',
    attempt: 'How many runs came before. A retry and an edit begin another one.',
    held: 'Whether somebody paused the run by a command.',
    cause: 'Why the run was aborted, if no command did it.',
    seen: {
      about:
        'What the source had in the fields that a promotion changes when the run began, or when somebody gave the command "promote". A newer value is not written over.',
      members: {
        values: 'A hash of all these values, some of which may be secret.',
        shown: 'Images and resources among them, by field.',
        revision: 'The whole revision with which the run came to its promotion.',
      },
    },
    scaled: {
      about: 'The size of the source, which the run has changed. Absent: it has not.',
      members: {
        uid: 'The uid of the source.',
        size: 'The number of pods that the source has without the run.',
        written: 'The spec.replicas that the controller writes next, or has written last.',
        replaced: {
          about: 'What this said before that write.',
          members: { size: 'The size.', written: 'The spec.replicas.' },
        },
        isReturning: 'Whether the source gets all its pods back before the run goes on.',
        changedFrom: 'The spec.replicas that somebody else has changed, so that the run is held.',
      },
    },
    command: {
      about: 'The last command, and what came of it.',
      members: {
        verb: 'The command.',
        at: 'When it was given.',
        by: 'Who gave it.',
        answer: 'Done; Stale if the run was at another step than its author saw; Refused if it did not fit.',
        message: 'What came of it, in a sentence.',
      },
    },
    step: 'The steps that are done, all of them, and the phase, such as "2/5 Paused".',
    weight: {
      about: 'The share of the fork in percent, where a weight decides its pods.',
      members: {
        desired: 'The weight of the present step.',
        actual: 'The share of the ready endpoints of the first Service that selects the fork.',
      },
    },
  },
}

const PROMOTION: Note = {
  about: 'How the source gets the change.',
  members: {
    mode: 'Manual, Automatic, or Export where the controller does not write the source.',
    declaredBy: 'Why the controller does not write the source.',
    record: {
      about: 'The ControllerRevision that keeps the former values of the source.',
      members: {
        name: 'Its name.',
        hash: 'A hash of it. A record with another one is not used.',
        wholeHash: 'The whole hash. A record with another one is not used.',
      },
    },
    written: {
      about: 'The source when it had the change.',
      members: STORED_SOURCE,
    },
    restored: {
      about: 'The source when an undo had written it.',
      members: STORED_SOURCE,
    },
    patch:
      'What to change in the manifest of the source: a JSON patch (RFC 6902) for "kubectl patch --type=json" and for kustomize.',
  },
}

/** What `status` says to people. */
export const STATUS_NOTE: Note = {
  about: 'The state of the experiment. Only the controller writes it.',
  members: {
    observedGeneration: 'The metadata.generation that this status is about.',
    conditions: {
      about:
        'Ready is the summary. Progressing, SourceResolved, TrafficShared and PolicyCompliant give details. Stalled exists only while a person must act, Paused only while a run waits, Promoted only when the source has the change of the override.',
      keys: ['type'],
      members: CONDITION_NOTES,
    },
    experimentResourceRef: {
      about: 'The fork.',
      members: {
        apiVersion: 'Its API version.',
        kind: "Its kind, the same as the source's.",
        name: 'Its name.',
        namespace: 'Its namespace, that of the source.',
        uid: 'Its uid.',
        generation:
          'Its metadata.generation after the last write of the controller. A different one means that another client changed it.',
        wholeHash: 'The whole hash of what the controller wrote.',
      },
    },
    replicas: 'The number of pods of the fork.',
    readyReplicas: 'The number of ready pods of the fork.',
    selector: "The label selector of the fork's pods, for the scale subresource.",
    source: {
      about: 'What the fork was derived from.',
      members: {
        uid: 'The uid of the source.',
        generation: 'The metadata.generation of the source when the base of the fork last changed.',
        revision: 'The revision of the source, where its kind has one.',
        templateHash: 'A hash of the base, which is what the fork takes over from the source.',
        base: 'For a Rollout: Stable if the base is the template that serves traffic, Desired if none serves traffic yet.',
        pinned: 'Whether the fork keeps the base with which it started. The base is stored in a ControllerRevision.',
      },
    },
    services: SERVICES,
    warnings: {
      about: 'Things to know about the fork. They do not prevent it. There is one for each reason.',
      keys: ['reason'],
      members: {
        reason: 'What it is about, in one word. docs/reasons.md says what to do about each.',
        message: 'What it is about, in a sentence.',
      },
    },
    strategy: RUN,
    promotion: PROMOTION,
    sourceName: 'The kind and the name of the source.',
    share: "The fork's part of the ready endpoints of its first Service.",
    image: "The images of the fork's containers, separated by commas.",
    pods: 'The number of ready pods of the fork, and how many it should have, such as "1/1".',
    changes:
      'The fields in which the fork differs from one without the override, or how many there are. There are no values, because they may be secret.',
    aloneSince:
      'Since when a Service of the source has had no ready endpoints except those of experiments. Absent if every such Service has others.',
    expiresAt: 'When the experiment expires: creationTimestamp plus ttlSeconds.',
    analysis: ANALYSIS_STATUS_NOTE,
    violatedPolicies:
      'The policies that the experiment violates, by name, at most 8. The condition PolicyCompliant says what they forbid.',
  },
}
