// The engine's WebAssembly module, as generated from its C++ bindings.
import createModule, { type MainModule } from '../../build/wasm/headflow.js';

export type {
  HeaderReader as WasmHeaderReader,
  Model as WasmModel,
  Region as WasmRegion,
  Session as WasmSession,
} from '../../build/wasm/headflow.js';

/** An instance of the module: its memory holds one model, and ends with it. */
export type WasmModule = MainModule;

export function loadModule(): Promise<WasmModule> {
  return createModule();
}
