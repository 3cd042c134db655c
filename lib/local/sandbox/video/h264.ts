/**
 * The least of H.264 that every player shows: pictures that stand alone, of columns in one colour each. The macroblocks of the first
 * row say their samples (I_PCM), and all others are predicted from the one above. ITU-T H.264, Constrained Baseline.
 */

import { bitWriter, type BitWriter } from './bits.ts';

/** Side of a macroblock. */
export const BLOCK_PIXELS = 16;

/** In macroblocks. */
export interface PictureSize {
  width: number;
  height: number;
}

export interface Colour {
  luma: number;
  blue: number;
  red: number;
}

/** Constrained Baseline at level 1.1, which has pictures of up to 396 macroblocks. */
export const profile = [66, 0xc0, 11] as const;

const NAL_IDR = 0x65;
const NAL_SEQUENCE = 0x67;
const NAL_PICTURE = 0x68;

export function sequenceParameters({ width, height }: PictureSize): Buffer {
  const writer = bitWriter();
  for (const byte of profile) writer.bits(byte, 8);
  writer.unsigned(0); // seq_parameter_set_id
  writer.unsigned(0); // log2_max_frame_num_minus4
  writer.unsigned(2); // pic_order_cnt_type: shown in the order of decoding
  writer.unsigned(1); // max_num_ref_frames
  writer.bits(0, 1); // gaps_in_frame_num_value_allowed_flag
  writer.unsigned(width - 1);
  writer.unsigned(height - 1);
  writer.bits(1, 1); // frame_mbs_only_flag
  writer.bits(1, 1); // direct_8x8_inference_flag
  writer.bits(0, 1); // frame_cropping_flag
  writer.bits(0, 1); // vui_parameters_present_flag
  return unit(NAL_SEQUENCE, writer.finish());
}

export function pictureParameters(): Buffer {
  const writer = bitWriter();
  writer.unsigned(0); // pic_parameter_set_id
  writer.unsigned(0); // seq_parameter_set_id
  writer.bits(0, 1); // entropy_coding_mode_flag: CAVLC
  writer.bits(0, 1); // bottom_field_pic_order_in_frame_present_flag
  writer.unsigned(0); // num_slice_groups_minus1
  writer.unsigned(0); // num_ref_idx_l0_default_active_minus1
  writer.unsigned(0); // num_ref_idx_l1_default_active_minus1
  writer.bits(0, 1); // weighted_pred_flag
  writer.bits(0, 2); // weighted_bipred_idc
  writer.signed(0); // pic_init_qp_minus26
  writer.signed(0); // pic_init_qs_minus26
  writer.signed(0); // chroma_qp_index_offset
  writer.bits(1, 1); // deblocking_filter_control_present_flag
  writer.bits(0, 1); // constrained_intra_pred_flag
  writer.bits(0, 1); // redundant_pic_cnt_present_flag
  return unit(NAL_PICTURE, writer.finish());
}

/** @param index of the picture: neighbours need different ids */
export function picture({ width, height }: PictureSize, index: number, colourOf: (column: number) => Colour): Buffer {
  const writer = bitWriter();
  writer.unsigned(0); // first_mb_in_slice
  writer.unsigned(7); // slice_type: I, as all slices of the picture
  writer.unsigned(0); // pic_parameter_set_id
  writer.bits(0, 4); // frame_num
  writer.unsigned(index % 2); // idr_pic_id
  writer.bits(0, 2); // no_output_of_prior_pics_flag, long_term_reference_flag
  writer.signed(0); // slice_qp_delta
  writer.unsigned(1); // disable_deblocking_filter_idc
  for (let column = 0; column < width; column += 1) sampledBlock(writer, colourOf(column));
  for (let block = width; block < width * height; block += 1) predictedBlock(writer, block < 2 * width);
  return unit(NAL_IDR, writer.finish());
}

const sampledBlock = (writer: BitWriter, { luma, blue, red }: Colour) => {
  writer.unsigned(25); // mb_type: I_PCM
  writer.bytes(Buffer.concat([Buffer.alloc(256, luma), Buffer.alloc(64, blue), Buffer.alloc(64, red)]));
};

/** @param isBelowSamples the code for "no coefficients" depends on how many the neighbours have; I_PCM counts as 16 */
function predictedBlock(writer: BitWriter, isBelowSamples: boolean): void {
  writer.unsigned(1); // mb_type: Intra_16x16, vertical, without coefficients
  writer.unsigned(2); // intra_chroma_pred_mode: vertical
  writer.signed(0); // mb_qp_delta
  if (isBelowSamples) writer.bits(0b000011, 6);
  else writer.bits(1, 1);
}

/** A NAL unit, in which no three bytes look like the beginning of another (emulation prevention). */
function unit(header: number, payload: Buffer): Buffer {
  const bytes = [header];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}
