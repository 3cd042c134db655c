import { asCallId, asList, asOptionalRecord, asRecords, asText } from '../shapes.ts';
import type { BlockWriter } from '../translated/block-writer.ts';
import { toolCallId } from '../tool-call-id.ts';
import { PartialArguments } from './partial-arguments.ts';

/** Reads tool calls, which arrive complete or, from Vertex AI, as one argument value after the other. */
export class CallReader {
  readonly #blocks: BlockWriter;
  /** Whether only the first call is forwarded: Gemini has no setting that disables parallel calls. */
  readonly #isSingle: boolean;
  #index = -1;
  /** Arguments of the last call while they are incomplete; otherwise undefined. */
  #partial: PartialArguments | undefined;
  #isLeftOut = false;

  constructor(blocks: BlockWriter, isSingle: boolean) {
    this.#blocks = blocks;
    this.#isSingle = isSingle;
  }

  /** Returns whether this piece begins a call that is forwarded to the client. */
  begins(call: Record<string, unknown>): boolean {
    return asText(call['name']) !== '' && !(this.#isSingle && this.#index >= 0);
  }

  read(call: Record<string, unknown>): void {
    if (this.begins(call)) this.#begin(call);
    else if (asText(call['name']) !== '') this.#isLeftOut = true;
    else if (!this.#isLeftOut) this.#goOn(call);
  }

  /** Completes the arguments of the last call. Some calls have no final piece that marks their end. */
  end(): void {
    if (this.#partial) this.#write(this.#partial.end());
    this.#partial = undefined;
  }

  #begin(call: Record<string, unknown>): void {
    this.end();
    this.#index += 1;
    const args = asOptionalRecord(call['args']);
    const isEmpty = Object.keys(args ?? {}).length === 0;
    const isPartial = isEmpty && (call['willContinue'] === true || asList(call['partialArgs']).length > 0);
    const id = asCallId(call['id']);
    this.#blocks.toolCall({
      index: this.#index,
      id: id === '' ? undefined : toolCallId(id, 'anthropic'),
      name: asText(call['name']),
      arguments: isPartial ? '' : JSON.stringify(args ?? {}),
    });
    if (!isPartial) return;
    this.#partial = new PartialArguments();
    this.#goOn(call);
  }

  /**
   * Reads a piece without a name. After a complete call, its arguments replace the empty ones of the call
   * (https://github.com/smallmain/vscode-unify-chat-provider/issues/48).
   */
  #goOn(call: Record<string, unknown>): void {
    if (!this.#partial) {
      const args = asOptionalRecord(call['args']);
      if (args) this.#write(JSON.stringify(args));
      return;
    }
    for (const value of asRecords(call['partialArgs'])) this.#write(this.#partial.write(value));
    if (call['willContinue'] !== true) this.end();
  }

  #write(json: string): void {
    this.#blocks.toolCall({ index: this.#index, id: undefined, name: undefined, arguments: json });
  }
}
